import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { field } from '../support/http-client.ts';
import type { TestWorkspace } from '../support/workspace.ts';
import { documentedCode, documentedFiles } from './documented-blocks.ts';

interface Prepared {
  readonly workspace: TestWorkspace;
  /** Where the commands run. */
  readonly folder: string;
}

/** What a page takes for granted: it is there before its first command runs. */
export const PREPARED_PAGES: Readonly<Record<string, (at: Prepared) => Promise<void>>> = {
  async 'access.md'({ workspace }) {
    const nodes = [{ type: 'Contract', key: 'Number', fields: { Price: 'Int' } }];
    await send(workspace, 'PUT', '/api/schema', { nodes, edges: [] });
    const operations = [{ op: 'addOrUpdate', type: 'Contract', key: '17' }];
    await send(workspace, 'POST', '/api/ingest', { operations });
  },
  async 'build.md'({ workspace }) {
    await addWords(workspace);
    const code = (take: number) =>
      `export default async ({ body, q }: Scope<{ word: string }>) => q().startAt('Word', body.word).take(${take}).nodes();\n`;
    await send(workspace, 'POST', '/api/endpoints/create', {
      name: 'lookup-word',
      code: code(1),
      isReadOnly: true,
    });
    for (const take of [2, 3, 4]) {
      await send(workspace, 'PUT', '/api/endpoints/lookup-word', { code: code(take) });
    }
  },
  async 'data.md'({ workspace }) {
    const fields = { Title: 'String', Cost: 'Int', Due: 'Time', Tags: 'String[]' };
    await send(workspace, 'PUT', '/api/schema', {
      nodes: [
        { type: 'Task', key: 'Number', fields },
        { type: 'Person', key: 'Name', fields: {} },
      ],
      edges: [{ type: 'AssignedTo', fields: { Since: 'Time' } }],
    });
    const operations = [{ op: 'addOrUpdate', type: 'Person', key: 'ann' }];
    await send(workspace, 'POST', '/api/ingest', { operations });
  },
  async 'duplicates.md'({ workspace }) {
    const fields = { Name: 'String', Email: 'String' };
    const nodes = [{ type: 'Person', key: 'Number', label: 'Name', fields }];
    await send(workspace, 'PUT', '/api/schema', { nodes, edges: [] });
    const operations = ['17', '23'].map((key) => ({
      op: 'addOrUpdate',
      type: 'Person',
      key,
      fields: { Name: 'Ann Lee', Email: 'ann@example.com' },
    }));
    await send(workspace, 'POST', '/api/ingest', { operations });
  },
  async 'endpoints.md'({ workspace, folder }) {
    await addWords(workspace);
    await send(workspace, 'PUT', '/api/schema', {
      nodes: [{ type: 'Synset', key: 'SynsetId', fields: { Gloss: 'String' } }],
      edges: [{ type: 'HasSense' }],
    });
    const code = documentedCode().find(({ name }) => name === 'endpoints 1');
    await writeFile(join(folder, 'senses.ts'), code?.text ?? '');
  },
  async 'export.md'({ workspace }) {
    const user = { userName: 'ann', email: 'ann@example.com', password: 'correct horse battery' };
    await send(workspace, 'POST', '/api/users', user);
  },
  async 'import.md'({ folder }) {
    const rows = 'Email,Name,Born\nann@x.org,Ann,1984\nbob@x.org,Bob,unknown\n';
    await writeFile(join(folder, 'people.csv'), rows);
    const [, , staff = ''] = documentedFiles('import.md', 'csv');
    const [books = '', lending = ''] = documentedFiles('import.md', 'jsonl');
    await writeFile(join(folder, 'staff.csv'), staff);
    await writeFile(join(folder, 'books.jsonl'), books);
    await writeFile(join(folder, 'lending.ndjson'), lending);
    const schema = { nodes: [], edges: [{ type: 'LentTo' }] };
    await writeFile(join(folder, 'lending.json'), JSON.stringify(schema));
  },
  async 'indexes.md'({ workspace, folder }) {
    await send(workspace, 'PUT', '/api/schema', {
      nodes: [
        {
          type: 'Synset',
          key: 'SynsetId',
          fields: { Name: 'String', LexFile: 'String' },
        },
      ],
      edges: [],
    });
    const operations = ['bread', 'apple'].map((Name) => ({
      op: 'addOrUpdate',
      type: 'Synset',
      key: Name,
      fields: { Name, LexFile: 'noun.food' },
    }));
    await send(workspace, 'POST', '/api/ingest', { operations });
    const code = documentedCode().find(({ name }) => name === 'indexes 1');
    await writeFile(join(folder, 'foods.ts'), code?.text ?? '');
  },
  async 'interfaces.md'({ folder }) {
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, 'dist/index.html'), '<!doctype html><title>Catalogue</title>');
  },
  async 'mcp.md'({ workspace }) {
    const user = { userName: 'ada', email: 'ada@example.com', password: 'correct horse battery' };
    await send(workspace, 'POST', '/api/users', user);
  },
  async 'schema-changes.md'({ workspace }) {
    const fields = { Text: 'String', Score: 'Int' };
    await send(workspace, 'PUT', '/api/schema', { nodes: [{ type: 'Word', fields }], edges: [] });
  },
  async 'search.md'({ workspace, folder }) {
    await addWords(workspace);
    const { json } = await workspace.http.send({
      path: '/api/node/query',
      token: workspace.token,
      body: { type: 'Word', take: 1 },
    });
    const [node] = Object(json).items;
    const queries = [{ query: String(node.Id), relevant: [field(node, 'UID')] }];
    await writeFile(join(folder, 'contracts.json'), JSON.stringify({ queries }));
    await send(workspace, 'PUT', '/api/schema', {
      nodes: [{ type: 'Synset', key: 'Number', fields: { Lemmas: 'String[]', Pos: 'String' } }],
      edges: [],
    });
    await send(workspace, 'PUT', '/api/search/settings', {
      types: {
        Word: { fields: { lemma: { text: {} } } },
        Synset: { fields: { Lemmas: { text: {} }, Pos: { facet: true } } },
      },
    });
  },
  async 'secrets.md'({ folder }) {
    await writeFile(join(folder, 'key.txt'), 'the key of the other server\n');
  },
  async 'tasks.md'({ workspace }) {
    const code = 'export default async ({ q }: Scope) => q().startAt("_User").count();\n';
    await send(workspace, 'POST', '/api/endpoints/create', { name: 'books/tidy', code });
  },
  async 'tools.md'({ workspace }) {
    const code = 'export default async ({ body }: Scope) => body;\n';
    await send(workspace, 'POST', '/api/endpoints/create', { name: 'notes/add', code });
  },
  async 'triggers.md'({ workspace, folder }) {
    const nodes = [{ type: 'Ticket', key: 'Number', fields: { Title: 'String' } }];
    await send(workspace, 'PUT', '/api/schema', { nodes, edges: [] });
    const code = documentedCode().find(({ name }) => name === 'triggers 1');
    await writeFile(join(folder, 'tickets.ts'), code?.text ?? '');
  },
  async 'webhooks.md'({ workspace }) {
    const nodes = ['Task', 'Person'].map((type) => ({ type, key: 'Name', fields: {} }));
    await send(workspace, 'PUT', '/api/schema', { nodes, edges: [] });
    const fetchAllowList = ['http://127.0.0.1:4040'];
    await send(workspace, 'PUT', '/api/workspace/settings', { fetchAllowList });
  },
};

async function addWords(workspace: TestWorkspace): Promise<void> {
  await send(workspace, 'PUT', '/api/schema', {
    nodes: [{ type: 'Word', key: 'lemma', fields: { lemma: 'String' } }],
    edges: [{ type: 'Near' }],
  });
  const words = ['dog', 'cat'].map((key) => ({ op: 'addOrUpdate', type: 'Word', key }));
  const [from, to] = ['dog', 'cat'].map((key) => ({ type: 'Word', key }));
  const operations = [...words, { op: 'link', from, edge: 'Near', to }];
  await send(workspace, 'POST', '/api/ingest', { operations });
}

async function send(
  { http, token }: TestWorkspace,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const { status, text } = await http.send({ method, path, token, body });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
}
