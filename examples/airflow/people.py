"""Anonymizes the day's export every night: plan, run, verify.

Needs Airflow 2.9 or newer, and kcut on the worker's PATH. The object that --json prints is a
task's XCom: {{ ti.xcom_pull(task_ids="run")["quasi_identifiers"] }} is what was reached. With
input_missing: retry in the job, an export that comes late is waited for.
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


with DAG(
    dag_id="kcut_people",
    schedule="0 3 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=5), "retry_exponential_backoff": True},
) as dag:
    plan = KcutOperator(task_id="plan", arguments=["plan", "/jobs/people.yaml", "--overwrite", "--json"])
    run = KcutOperator(task_id="run", arguments=["run", "/jobs/people.yaml", "--overwrite", "--json"])
    verify = KcutOperator(task_id="verify", arguments=["verify", "/data/out/people.parquet", "--json"])
    plan >> run >> verify
