import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { HttpClient, field } from '../test/support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../test/support/trellis-process.ts';
import { pictureAssistant } from './pictured-assistant.ts';
import { chromiumFile, installBrowser, storageState } from './browser.ts';

/**
 * `npm run screenshots` makes the pictures of docs/front-end.md: every page over the sample graph,
 * light and dark, some also as a phone has them. The names are those of the files; with names, such
 * as `npm run screenshots -- data search`, only these are made again.
 */
const FOLDER = join(import.meta.dirname, '../docs/images/pages');
const VIEWPORT = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 844 };
const wanted = process.argv.slice(2);
/** A busy machine shows a page many times later than an idle one. */
const PATIENCE_MS = 120_000;

interface Picture {
  readonly name: string;
  /** After the address of the server. */
  readonly path: string;
  /** What is there once the page is whole. */
  readonly waitFor?: string;
  /** Taken as a phone has it, too. */
  readonly isOnPhones?: true;
}

function pictures(): readonly Picture[] {
  return [
    { name: 'search', path: '#/?q=trellis', waitFor: 'mark', isOnPhones: true },
    { name: 'node', path: `#/node/${synset}`, waitFor: '[aria-label="Changes of the node"]' },
    { name: 'graph', path: `#/graph?node=${word}`, waitFor: 'canvas' },
    { name: 'chat', path: `#/chat/${assistant.chat}`, waitFor: 'text=to train on one' },
    { name: 'tour', path: '#/tour' },
    { name: 'preferences', path: '#/preferences' },
    { name: 'endpoints', path: '#/endpoints', waitFor: 'text=lookup-word' },
    { name: 'endpoint', path: '#/endpoints/edit/lookup-word', waitFor: 'text=The code compiles' },
    { name: 'endpoint-metrics', path: '#/endpoints/metrics' },
    { name: 'tools', path: '#/assistant/tools', waitFor: 'text=look_up' },
    { name: 'agent', path: '#/assistant/agents/explainer' },
    { name: 'deep-research', path: '#/assistant/research' },
    { name: 'providers', path: '#/assistant/providers' },
    {
      name: 'admin-agent',
      path: `#/assistant/admin-agent/${assistant.session}`,
      waitFor: 'text=export default',
    },
    { name: 'build-tree', path: '#/admin/build' },
    { name: 'code-history', path: '#/admin/history' },
    {
      name: 'data',
      path: '#/data/Synset?filter={"LexFile":"=noun.animal"}&sort=Name',
      waitFor: '[role=gridcell] bdi',
      isOnPhones: true,
    },
    {
      name: 'record',
      path: `#/data/Synset?node=${synset}`,
      waitFor: '[aria-label="Fields"]',
      isOnPhones: true,
    },
    { name: 'schema', path: '#/admin/schema?tab=picture', waitFor: '.react-flow__node' },
    { name: 'indexes', path: '#/admin/schema?tab=indexes', waitFor: 'text=LexFile' },
    { name: 'import', path: '#/admin/import' },
    { name: 'search-settings', path: '#/admin/search' },
    { name: 'synonyms', path: '#/manage/synonyms?lang=en' },
    { name: 'tokens', path: '#/manage/access/tokens' },
    { name: 'secrets', path: '#/manage/access/secrets', waitFor: 'text=CRM_KEY' },
    { name: 'users', path: '#/manage/access/users' },
    { name: 'teams', path: '#/manage/access/teams' },
    { name: 'type-access', path: '#/manage/access/types' },
    { name: 'explain', path: `#/manage/access/explain?node=${word}` },
    { name: 'sso', path: '#/manage/access/sso' },
    { name: 'overview', path: '#/admin', waitFor: 'figure' },
    { name: 'replicas', path: '#/admin/replicas' },
    { name: 'tasks', path: '#/admin/tasks', waitFor: 'text=words/changed', isOnPhones: true },
    { name: 'migrations', path: '#/admin/migrations' },
    { name: 'jobs', path: '#/admin/jobs' },
    { name: 'backups', path: '#/admin/backups' },
    { name: 'logs', path: '#/admin/logs' },
    { name: 'settings', path: '#/admin/settings' },
    { name: 'interfaces', path: '#/admin/interfaces' },
    { name: 'definitions', path: '#/admin/definitions' },
    { name: 'deployments', path: '#/admin/deployments' },
    { name: 'api', path: '#/api?operation=getNode' },
    { name: 'license', path: '#/admin/license' },
  ];
}

installBrowser();
if (wanted.length === 0) await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
await using storage = await temporaryFolder();
await using backups = await temporaryFolder();
await using server = await TrellisProcess.start({
  storage: storage.path,
  env: {
    TRELLIS_SAMPLE: 'wordnet',
    MSK_JWT_KEY: 'a key for pictures that nobody else has',
    MSK_GRAPH_BACKUP_FOLDER: backups.path,
  },
});
const http = new HttpClient(server.url);
const token = await http.signIn();
await untilIndexed();
await addIndexes();
await fillWithPeople();
await fillWithCode();
await fillWithWork();
const word = await uidOfWord('star');
const synset = await changedSynset();
await using assistant = await pictureAssistant(http, token);
const browser = await chromium.launch({ executablePath: chromiumFile(), args: ['--no-sandbox'] });
for (const theme of ['light', 'dark'] as const) {
  const chosen = pictures().filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  await takeAll(browser, theme, chosen, false);
  const onPhones = chosen.filter(({ isOnPhones }) => isOnPhones === true);
  await takeAll(browser, theme, onPhones, true);
}
await browser.close();

async function untilIndexed(): Promise<void> {
  for (;;) {
    const body = { query: 'trellis' };
    const { json } = await http.send({ path: '/api/cce/system/search', token, body });
    const index = await http.send({ path: '/api/search/index', token });
    if (Number(Object(json).total) > 0 && Object(index.json).rebuild === null) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Those of docs/indexes.md. */
async function addIndexes(): Promise<void> {
  const indexes = [{ field: 'LexFile' }, { fields: ['LexFile', 'Name'] }];
  const body = { nodes: [{ type: 'Synset', fields: {}, indexes }], edges: [] };
  const { status, text } = await http.send({ method: 'PUT', path: '/api/schema', token, body });
  if (status !== 200) throw new Error(`adding indexes: ${status} ${text}`);
}

/** A few users, teams and tokens, so that their pages are not empty. */
async function fillWithPeople(): Promise<void> {
  const send = (method: string, path: string, body: unknown) =>
    http.send({ method, path, token, body });
  const people = [
    ['ada', 'Ada', 'Lovelace', { roles: ['CanManageSynonyms'] }],
    ['grace', 'Grace', 'Hopper', { isReadOnlyAdmin: true }],
    ['alan', 'Alan', 'Turing', { isGuest: true }],
  ] as const;
  for (const [userName, firstName, lastName, traits] of people) {
    const email = `${userName}@example.com`;
    await send('POST', '/api/users', { userName, email, firstName, lastName, ...traits });
  }
  await send('PUT', '/api/groups/group', { name: 'Lexicographers', description: 'Edit the words' });
  await send('POST', '/api/tokens', { kind: 'api', name: 'Nightly import', scopes: ['ingestion'] });
  await send('POST', '/api/tokens', { kind: 'endpoint', name: 'Website', path: 'lookup-word' });
  await send('PUT', '/api/search/synonyms/for?token=trellis&lang=en&ignoreCase=true&replace=true', {
    Synonyms: ['treillage', 'lattice'],
    Alternates: [],
    Blocked: [],
  });
}

/** A module, a secret, and an endpoint that changes run. */
async function fillWithCode(): Promise<void> {
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await http.send({ method, path, token, body });
    if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
  };
  const secret = { value: 'a key of the pictures', hosts: ['crm.example.com'] };
  await send('PUT', '/api/secrets/CRM_KEY', { ...secret, endpoints: ['words/changed'] });
  await send('PUT', '/api/secrets/NEWS_TOKEN', { ...secret, hosts: ['news.example.com'] });
  const module = 'export const shortened = (text: string): string => text.slice(0, 80);\n';
  await send('POST', '/api/modules/create', { name: 'texts', code: module });
  const code = `// trellis: on updated Synset
import { shortened } from '#lib/texts.ts';

export default async ({ body, log }: Scope<{ after: { Definition: string } }>) => {
  log.info(shortened(body.after.Definition));
};
`;
  await send('POST', '/api/endpoints/create', { name: 'words/changed', code });
}

/** Tasks that ran, a backup, and a migration, so that their pages are not empty. */
async function fillWithWork(): Promise<void> {
  const send = async (path: string, body: unknown = {}): Promise<void> => {
    const { status, text } = await http.send({ method: 'POST', path, token, body });
    if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
  };
  await send('/api/admin/tasks', { name: 'backup', cron: '30 2 * * *', builtIn: 'backup' });
  await send('/api/admin/tasks', { name: 'count', cron: '@hourly', endpoint: 'count-by-pos' });
  await send('/api/admin/tasks', { name: 'scrub', cron: '0 3 * * 0', builtIn: 'storage-scrub' });
  await send('/api/admin/tasks/backup/run');
  await send('/api/admin/tasks/count/run');
  const code = `export default async function ({ q, log }: Scope) {
  log.info('synsets', { count: await q().startAt('Synset').count() });
}
`;
  await send('/api/migrations', { name: '001-count-synsets', code });
  await send('/api/migrations/run');
  for (;;) {
    // Asking for it has the server check what has no verdict yet.
    const status = await http.send({ path: '/api/build/compile-status', token });
    const { json } = await http.send({ path: '/api/jobs', token });
    const jobs: readonly { readonly state: string }[] = Object(json).items;
    const isBusy = jobs.some(({ state }) => state === 'queued' || state === 'running');
    if (!isBusy && Object(status.json).Pending === false) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** With a file, and a history. */
async function changedSynset(): Promise<string> {
  const query = { query: 'domestic dog', types: ['Synset'], take: 1 };
  const found = await http.send({ path: '/api/cce/system/search', token, body: query });
  const { UID: uid, Id: key } = Object(found.json).hits[0].node;
  for (const Definition of [
    'a domestic animal that barks',
    'a domestic animal that barks, kept by people since prehistoric times',
  ]) {
    const operations = [{ op: 'update', type: 'Synset', key, fields: { Definition } }];
    await http.send({ path: '/api/ingest', token, body: { operations } });
  }
  const body = new FormData();
  body.set('file', new Blob(['Dogs come in many breeds.']), 'breeds.txt');
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${server.url}/api/node/${uid}/files`, { method: 'POST', headers, body });
  return uid;
}

async function uidOfWord(lemma: string): Promise<string> {
  const body = { type: 'Word', keys: [lemma] };
  const { json } = await http.send({ path: '/api/cce/system/nodes', token, body });
  const [node] = Object(json).items;
  return field(node, 'UID');
}

async function takeAll(
  from: Browser,
  theme: 'light' | 'dark',
  taken: readonly Picture[],
  isPhone: boolean,
): Promise<void> {
  const session = { token, expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
  const context = await from.newContext({
    viewport: isPhone ? PHONE : VIEWPORT,
    colorScheme: theme,
    reducedMotion: 'reduce',
    storageState: storageState(server.url, session),
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  for (const { name, path, waitFor } of taken) {
    const file = `${name}${isPhone ? '-phone' : ''}-${theme}.png`;
    // Otherwise the page before is there until the next one is read.
    await page.goto('about:blank');
    await page.goto(`${server.url}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (waitFor !== undefined) await page.locator(waitFor).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.waitForFunction('!document.querySelector("[role=status][aria-label=Loading]")');
    await page.screenshot({ path: join(FOLDER, file) });
    process.stdout.write(`${file}\n`);
  }
  await context.close();
}
