"""Anonymizes the day's export every night: plan, run, verify, a page, an alert.

Needs Airflow 2.9 or newer, and kcut on the worker's PATH. Each day has an export, a release and a
page of its own, so that a day that is run again reads the export of that day. The object that --json prints is a task's XCom: {{ ti.xcom_pull(task_ids="run") }} has what was
reached. With input_missing: retry in the job, an export that comes late is waited for.
"""

import json
from datetime import datetime, timedelta

from airflow import DAG
from airflow.exceptions import AirflowException, AirflowFailException
from airflow.models import BaseOperator

try:
    from airflow.providers.standard.hooks.subprocess import SubprocessHook
except ImportError:  # before Airflow 3
    from airflow.hooks.subprocess import SubprocessHook

# A bug, the job file, the input, the privacy requirement, an output that is in the way, too little
# memory or disk: trying again changes nothing. Every other failure may pass: 6 is the file system
# or another run, 130 and 143 are signals, and the same command goes on.
NEVER_AGAIN = {1, 2, 3, 4, 5, 7}


class KcutOperator(BaseOperator):
    """Runs kcut, and tries again only what may get better."""

    template_fields = ("arguments",)

    def __init__(self, arguments, **kwargs):
        super().__init__(**kwargs)
        self.arguments = arguments
        self.hook = SubprocessHook()

    def execute(self, context):
        result = self.hook.run_command(["kcut", *self.arguments])
        answer = self.answer(result.output)
        if result.exit_code == 0:
            return answer
        said = answer.get("error", {"message": "it said nothing", "hint": "look into the log"})
        message = f"kcut ended with {result.exit_code}: {said['message']}; {said['hint']}"
        if result.exit_code in NEVER_AGAIN:
            raise AirflowFailException(message)
        raise AirflowException(message)

    @staticmethod
    def answer(line):
        """The last line of what kcut has printed, as an object; one that was killed has printed none."""
        try:
            answer = json.loads(line)
        except ValueError:
            return {}
        return answer if isinstance(answer, dict) else {}

    def on_kill(self):
        """SIGTERM, which kcut answers within ten seconds."""
        self.hook.send_sigterm()


class AlertOperator(BaseOperator):
    """Fails, as what alerts of Airflow go by, if a release holds but is worth little, or shows many.

    Shares are of 1: least_kept of the information of masked columns, most_unique of rows that are
    alone on the labels of all of them.
    """

    def __init__(self, of, least_kept, most_unique, **kwargs):
        super().__init__(**kwargs)
        self.of, self.least_kept, self.most_unique = of, least_kept, most_unique

    def execute(self, context):
        report = context["ti"].xcom_pull(task_ids=self.of)
        self.judge(report.get("information_kept", 1), report.get("union", {}).get("unique", 0))

    def judge(self, kept, unique):
        if kept < self.least_kept:
            raise AirflowFailException(f"{kept:.1%} of the information is left, less than {self.least_kept:.1%}")
        if unique > self.most_unique:
            raise AirflowFailException(f"{unique:.1%} of the rows are alone, more than {self.most_unique:.1%}")


with DAG(
    dag_id="kcut_people",
    schedule="0 3 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=5), "retry_exponential_backoff": True},
) as dag:
    plan = KcutOperator(task_id="plan", arguments=[
        "plan", "/jobs/people.yaml", "--input", "/data/in/people-{{ ds }}.parquet",
        "--output", "/data/out/people-{{ ds }}.parquet", "--overwrite", "--json"])
    run = KcutOperator(task_id="run", arguments=[
        "run", "/jobs/people.yaml", "--input", "/data/in/people-{{ ds }}.parquet",
        "--output", "/data/out/people-{{ ds }}.parquet", "--overwrite",
        "--run-json", "/data/reviews/people-{{ ds }}.json", "--json"])
    verify = KcutOperator(task_id="verify", arguments=[
        "verify", "/data/out/people-{{ ds }}.parquet", "--json"])
    # The page is for reviewers, not for those who get the release: it lies elsewhere.
    page = KcutOperator(task_id="page", arguments=[
        "report", "/data/out/people-{{ ds }}.parquet", "/data/reviews/people-{{ ds }}.html",
        "--run-json", "/data/reviews/people-{{ ds }}.json", "--overwrite", "--json"])
    alert = AlertOperator(task_id="alert", of="run", least_kept=0.2, most_unique=0.01)
    plan >> run >> verify >> page
    run >> alert
