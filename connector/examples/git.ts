import { gitKind } from '../src/kinds/git.ts';
import { nodeFilesOf } from '../src/node-files.ts';
import { main } from './command-line.ts';

await main({
  name: 'git',
  help: `The files of a Git repository, its last commits, and who made them.

  node connector/examples/git.ts --repository https://git.example.com/shop.git

  --repository URL of the repository, by http or https; the token needs the scopes ingestion,
                   ingestion:acl and read
  --branch NAME    what to bring (the branch that the repository begins with)
  --commits N      how many of the last ones (1000)
  --max-bytes N    of a file; larger ones are brought without their content (1000000)
  --team TEAM      of the workspace: only it may see what comes
  --user NAME      at the server of the repository; the password is taken from GIT_PASSWORD
  --full           fetch it also when nothing has changed since the last run`,
  options: {
    repository: { type: 'string', default: '' },
    branch: { type: 'string' },
    commits: { type: 'string', default: '1000' },
    'max-bytes': { type: 'string', default: '1000000' },
    team: { type: 'string' },
    user: { type: 'string' },
    full: { type: 'boolean', default: false },
  },
  run: (target, { repository, branch, commits, 'max-bytes': bytes, team, user, full }) => {
    if (!URL.canParse(repository)) throw new Error('--repository is needed; see --help');
    for (const number of [commits, bytes]) {
      if (!/^\d+$/.test(number)) throw new Error(`${number}: a whole number is needed`);
    }
    return gitKind.run(
      {
        kind: 'git',
        url: repository,
        user: user ?? null,
        branch: branch ?? null,
        commits: Number(commits),
        fileBytesMax: Number(bytes),
        team: team ?? null,
      },
      target,
      {
        fetch,
        secret: process.env['GIT_PASSWORD'],
        files: nodeFilesOf(target.client),
        log: (text) => void process.stderr.write(`git: ${text}\n`),
        signal: target.signal,
        isFull: full,
        nowMs: () => Date.now(),
      },
    );
  },
});
