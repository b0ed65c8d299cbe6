import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { readersByRow, runToEnd } from '../support/connector-runs.ts';
import { requireGit } from '../support/requires.ts';
import { ConnectorScene } from './connector-scene.ts';
import { GitServer } from './git-server.ts';

const ADA = 'Ada <Ada@example.com>';
const BO = 'Bo <bo@example.com>';
const PASSWORD = 'quokka-on-the-island';

describe.skipIf(requireGit())('a Git repository', () => {
  let at: ConnectorScene;
  let git: GitServer;
  let admin: TrellisClient;
  let source: Extract<
    Parameters<TrellisClient['connectors']['create']>[0]['source'],
    { kind: 'git' }
  >;

  beforeAll(async () => {
    at = await ConnectorScene.start(['ingestion', 'ingestion:acl', 'read']);
    const ann = await at.people.add('ann');
    await at.people.add('sam');
    await at.people.addTeam('North', { add: [ann] });
    git = await GitServer.start(at.folder, PASSWORD);
    const baseUrl = at.people.workspace.server.url;
    admin = new TrellisClient({ baseUrl, token: at.people.token('admin') });
    await admin.workspace.putSettings({ fetchAllowList: [git.origin] });
    source = {
      kind: 'git',
      url: git.url,
      user: 'reader',
      branch: null,
      commits: 100,
      fileBytesMax: 1_000,
      team: null,
    };
    git.commit({
      author: ADA,
      message: 'Begin\n\nWith two files.',
      files: {
        'readme.md': 'A quokka lives here.',
        'src/deep/main.txt': 'To the lighthouse.',
        'big.txt': 'x'.repeat(2_000),
      },
      links: { passwd: '/etc/passwd', up: '../../..' },
    });
    git.commit({ author: BO, message: 'Say more', files: { 'readme.md': 'A wombat lives here.' } });
  });
  afterAll(async () => {
    await git[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });

  const run = (id: string, full = false) => runToEnd(admin, id, full);

  const fields = async (type: string, field: string, as = 'admin') =>
    Object.values(await at.nodes(type, as))
      .map((node) => node[field])
      .toSorted();

  async function found(query: string): Promise<unknown[]> {
    const path = '/api/endpoints/run/system/search';
    const { json } = await at.people.as('admin', 'POST', path, { query });
    return Object(json).hits.map((hit: object) =>
      String(Object(Object(hit).node).Id)
        .split(/[:/]/)
        .at(-1),
    );
  }

  test('comes with files, commits and authors, then with what has changed', async () => {
    const { id } = await admin.connectors.create({ name: 'shop', source, secret: PASSWORD });
    expect(await admin.connectors.test({ id, source })).toMatchObject({ isReachable: true });
    expect(await run(id)).toMatchObject({ state: 'succeeded', error: null });
    // Links are not followed, wherever they lead.
    const files = ['big.txt', 'readme.md', 'src/deep/main.txt'];
    expect(await fields('GitFile', 'Path')).toEqual(files);
    expect(await fields('GitCommit', 'Subject')).toEqual(['Begin', 'Say more']);
    expect(await fields('GitAuthor', 'Id')).toEqual(['ada@example.com', 'bo@example.com']);
    const commit = ['GitCommit', 'Subject'] as const;
    expect(await at.edges('GitWrittenBy', commit, ['GitAuthor', 'Id'])).toEqual([
      ['Begin', 'ada@example.com'],
      ['Say more', 'bo@example.com'],
    ]);
    expect(await at.edges('GitFollows', commit, commit)).toEqual([['Say more', 'Begin']]);
    expect(await at.edges('GitChanged', commit, ['GitFile', 'Path'])).toEqual([
      ...files.map((path) => ['Begin', path]),
      ['Say more', 'readme.md'],
    ]);
    await expect.poll(() => found('wombat')).toEqual(['readme.md']);
    expect(await found('quokka')).toEqual([]);

    const before = git.requests.length;
    expect((await run(id))?.report).toMatchObject({ rows: 0, operations: 0 });
    // Only where the branch is was asked.
    const asked = git.requests.slice(before);
    expect(asked.filter((url) => url.endsWith('/git-upload-pack'))).toHaveLength(1);

    git.commit({
      author: BO,
      message: 'Move',
      files: { 'src/deep/main.txt': null, 'a.txt': 'Oz' },
    });
    const { report } = (await run(id)) ?? {};
    expect(report).toMatchObject({ rejected: 0 });
    expect(report?.changes).toEqual(
      expect.arrayContaining([
        { row: 'file a.txt', change: 'added' },
        { row: `commit ${git.git('rev-parse', 'HEAD')}`, change: 'added' },
        { row: 'file src/deep/main.txt', change: 'removed' },
      ]),
    );
    expect(await fields('GitFile', 'Path')).toEqual(['a.txt', 'big.txt', 'readme.md']);
    expect((await run(id, true))?.report).toMatchObject({ operations: 0 });

    const team = await admin.connectors.update(id, {
      name: 'shop',
      source: { ...source, team: 'North' },
    });
    expect(team.hasSecret).toBe(true);
    expect(await run(id)).toMatchObject({ state: 'succeeded' });
    expect(await fields('GitFile', 'Path', 'sam')).toEqual([]);
    expect(await fields('GitCommit', 'Subject', 'sam')).toEqual([]);
    expect(await fields('GitFile', 'Path', 'ann')).toHaveLength(3);
    expect(await readersByRow(admin, id)).toMatchObject({ 'file a.txt': ['both team North'] });
    // What somebody here opens to others is told.
    const [{ UID = '' } = {}] = Object.values(await at.nodes('GitFile'));
    await admin.access.putNode(String(UID), { teams: [], users: [] });
    expect(Object.values(await readersByRow(admin, id))).toContainEqual([
      'here everybody everybody',
      'both team North',
    ]);
  });

  test('what cannot be read is told, without the password', async () => {
    const cases = [
      { secret: 'wrong-password', says: '401' },
      { source: { ...source, branch: 'nowhere' }, says: 'no branch nowhere' },
      { source: { ...source, url: `${git.origin}/other/.git` }, says: '404' },
      { source: { ...source, team: 'Nord' }, says: 'no team "Nord"', isRun: true },
    ];
    for (const { says, isRun = false, ...given } of cases) {
      const asked = { name: says, source, secret: PASSWORD, ...given };
      const { id } = await admin.connectors.create(asked);
      const { message = '' } = isRun
        ? ((await run(id))?.error ?? {})
        : await admin.connectors.test({ id, source: asked.source });
      expect(message).toContain(says);
      expect(message).not.toContain(asked.secret);
    }
  });

  test('a tree that holds itself a billion times ends the run, and so do names that climb', async () => {
    const blob = git.git('hash-object', '-w', 'readme.md');
    const mktree = (lines: readonly string[]) => git.pipe(['mktree'], `${lines.join('\n')}\n`);
    let tree = mktree(Array.from({ length: 10 }, (_, i) => `100644 blob ${blob}\tf${i}`));
    for (let depth = 0; depth < 9; depth++) {
      tree = mktree(Array.from({ length: 10 }, (_, i) => `040000 tree ${tree}\td${i}`));
    }
    const bomb = git.git('commit-tree', '-m', 'bomb', tree);
    git.git('branch', 'bomb', bomb);
    const climbing = mktree([`100644 blob ${blob}\t..\\..\\up.txt`, `100644 blob ${blob}\t%2e%2e`]);
    git.git('branch', 'climbing', git.git('commit-tree', '-m', 'climb', climbing));
    const bring = async (branch: string) => {
      const asked = { name: branch, source: { ...source, branch }, secret: PASSWORD };
      const { id } = await admin.connectors.create(asked);
      return run(id);
    };
    const last = await bring('bomb');
    expect(last).toMatchObject({ state: 'failed', error: { code: 'connector_failed' } });
    expect(last?.error?.message).toContain('entries of folders');
    expect((await bring('climbing'))?.error?.message).toMatch(/unsafe/i);
  });

  test('a program brings the same as the server', async () => {
    const args = [
      '--repository',
      git.url,
      '--user',
      'reader',
      '--max-bytes',
      '1000',
      '--team',
      'North',
    ];
    const report = await at.run('git', args, { GIT_PASSWORD: PASSWORD });
    expect(report).toMatchObject({ rejected: 0, removed: 0 });
    expect(await at.run('git', [...args, '--full'], { GIT_PASSWORD: PASSWORD })).toMatchObject({
      operations: 0,
    });
    expect(await fields('GitFile', 'Path')).toEqual(['a.txt', 'big.txt', 'readme.md']);
  });
});
