"""Imports a DAG with a stand-in for Airflow, and prints what its operator makes of exit codes."""

import importlib.util
import subprocess
import sys
import types


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made


class AirflowException(Exception):
    pass


class AirflowFailException(AirflowException):
    pass


class BaseOperator:
    def __init__(self, task_id):
        self.task_id = task_id
        DAG.tasks.append(self)

    def __rshift__(self, other):
        return other


class DAG:
    tasks = []

    def __init__(self, dag_id, schedule, start_date, catchup, max_active_runs, default_args):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class SubprocessHook:
    code = 0
    output = "{}"

    def run_command(self, command):
        assert command[0] == "kcut", command
        return types.SimpleNamespace(exit_code=self.code, output=self.output)

    def send_sigterm(self):
        print("killed: SIGTERM")


module("airflow", DAG=DAG)
module("airflow.exceptions", AirflowException=AirflowException, AirflowFailException=AirflowFailException)
module("airflow.models", BaseOperator=BaseOperator)
module("airflow.hooks")
module("airflow.hooks.subprocess", SubprocessHook=SubprocessHook)

spec = importlib.util.spec_from_file_location("people", sys.argv[1])
spec.loader.exec_module(importlib.util.module_from_spec(spec))
print("tasks:", *(task.task_id for task in DAG.tasks))
operator = DAG.tasks[0]
for SubprocessHook.code in (0, 1, 2, 3, 4, 5, 6, 7, 130, 143):
    try:
        operator.execute({})
        outcome = "done"
    except AirflowFailException:
        outcome = "never again"
    except AirflowException:
        outcome = "again"
    print(f"{SubprocessHook.code}: {outcome}")
operator.on_kill()
for kept, unique in ((0.5, 0), (0.1, 0), (0.5, 0.02)):
    try:
        DAG.tasks[-1].judge(kept, unique)
        print("alert: none")
    except AirflowFailException as alert:
        print("alert:", alert)


def last_line(*arguments):
    """What Airflow's hook takes for the output: the last line of both streams."""
    ended = subprocess.run(["kcut", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return ended.returncode, ended.stdout.splitlines()[-1]


SubprocessHook.code, SubprocessHook.output = last_line("version", "--json")
print("answer:", sorted(operator.execute({})))
for SubprocessHook.code, SubprocessHook.output in (last_line("run", "missing.yaml", "--json"), (137, "a line that was not finish")):
    try:
        operator.execute({})
    except AirflowException as failed:
        print("exception:", failed)
