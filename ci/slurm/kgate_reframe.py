"""Shards of a kgate suite as a ReFrame test: ReFrame schedules them on any scheduler, kgate decides.

    reframe -c ci/slurm/kgate_reframe.py -S kgate_shard.out=/shared/out -S kgate_shard.words='-c suite.yaml' --run
    kgate merge /shared/out
"""

import reframe as rfm
import reframe.utility.sanity as sn

SHARDS = 4


@rfm.simple_test
class kgate_shard(rfm.RunOnlyRegressionTest):
    """One exclusive job per shard. A regression passes here: `kgate merge` gives the verdict of the suite."""
    shard = parameter(range(1, SHARDS + 1))
    out = variable(str, value='kgate-out')
    words = variable(str, value='-c kgate.yaml')
    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'kgate'
    exclusive_access = True
    time_limit = '30m'

    @run_before('run')
    def options_set(self):
        self.executable_opts = ['gate', self.words, f'--shard {self.shard}/{SHARDS}', f'-o {self.out}/shard-{self.shard}']
        self.postrun_cmds = ['echo "kgate exit $?"']

    @sanity_function
    def is_measured(self):
        return sn.assert_found(r'^kgate exit [014]$', self.stdout)
