import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Outcome, runTrellis } from '../support/command-line.ts';
import { People } from '../support/people.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let people: People;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  people = await People.start();
  await people.as('admin', 'PUT', '/api/schema', {
    nodes: [{ type: 'Book', key: 'Isbn', fields: { Title: 'String' } }],
    edges: [{ type: 'Cites' }],
  });
  const ofBook = { type: 'Book', key: 'b' };
  await people.as('admin', 'POST', '/api/ingest', {
    operations: [
      { op: 'addOrUpdate', ...ofBook, fields: { Title: 'Emma' } },
      { op: 'link', from: ofBook, edge: 'Cites', to: ofBook },
    ],
  });
  const code = `export default async ({ q }: Scope) => q().startAt('Book').count();`;
  const body = { name: 'books', code };
  expect((await people.as('admin', 'POST', '/api/endpoints/create', body)).status).toBe(201);
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function schema(...args: readonly string[]): Promise<Outcome> {
  const { server, token } = people.workspace;
  return runTrellis(['schema', ...args], { home: folder.path, server: server.url, token });
}

const good = (stderr: string, stdout = '') => ({ code: 0, stderr: `${stderr}\n`, stdout });

test('a rename is tried, refused, forced, listed and undone; its alias is removed', async () => {
  const dry = await schema('rename', 'Book', 'Work', '--dry-run');
  expect(dry).toMatchObject({
    code: 1,
    stderr: 'This would rename Book to Work, for 1 nodes and 0 edges.\n',
  });
  expect(dry.stdout).toMatch(/^endpoint books: .*\n {2}1:\d+ There is no node type "Book"\./);
  const refused = await schema('rename', 'Book', 'Work');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('endpoint books')]);
  const said = (from: string, to: string, extent: string) =>
    good(`Renamed ${from} to ${to}, for ${extent}. Reads take the former name too.`);
  expect(await schema('rename', 'Book', 'Work', '--force')).toEqual(
    said('Book', 'Work', '1 nodes and 0 edges'),
  );
  expect(await schema('rename', 'Work.Title', 'Name')).toEqual(
    said('Work.Title', 'Name', '1 nodes and 0 edges'),
  );
  expect(await schema('rename', 'Cites', 'Quotes', '--edge')).toEqual(
    said('Cites', 'Quotes', '0 nodes and 1 edges'),
  );

  const { stdout } = await schema('changes');
  expect(stdout).toMatch(/Cites to Quotes[^]*Work\.Title to Name[^]*Book to Work/);
  const changes = JSON.parse((await schema('changes', '--json')).stdout) as { id: string }[];
  expect(changes).toHaveLength(3);
  expect(await schema('undo', changes[1]!.id)).toEqual(good('Undone, for 1 nodes and 0 edges.'));
  const again = await schema('undo', changes[1]!.id);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('undone by')]);
  expect((await schema('changes')).stdout).toContain(`undoes ${changes[1]!.id}`);

  expect(await schema('remove-alias', 'Work', 'Book')).toEqual(
    good('Reads do not take Book any more.'),
  );
  const gone = await schema('remove-alias', 'Work', 'Book');
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('not an alias')]);
  expect(await schema('remove-alias', 'Quotes', 'Cites', '--edge')).toMatchObject({ code: 0 });
  expect(await schema('remove-alias', 'Work.Title', 'Name')).toMatchObject({ code: 0 });
});

test.each([
  [['rename', 'Nowhere', 'Else'], '"Nowhere" is not a node type'],
  [['rename', 'Work.', 'Else'], 'neither a type nor a field'],
  [['undo', 'none'], 'no schema change'],
])('%j says what is wrong', async (args, message) => {
  const { code, stderr } = await schema(...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
});
