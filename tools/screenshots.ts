import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { HttpClient } from '../test/support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../test/support/trellis-process.ts';
import { pictureAssistant } from './pictured-assistant.ts';
import { pictureWorkspace } from './pictured-workspace.ts';
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
  /** Opens what no address does, once the page is whole. */
  readonly open?: (page: Page) => Promise<void>;
}

function pictures(): readonly Picture[] {
  return [
    { name: 'search', path: '#/?q=trellis', waitFor: 'mark', isOnPhones: true },
    { name: 'node', path: `#/node/${synset}`, waitFor: '[aria-label="Changes of the node"]' },
    { name: 'graph', path: `#/graph?node=${word}`, waitFor: 'canvas' },
    { name: 'tour', path: '#/tour' },
    { name: 'preferences', path: '#/preferences' },
    { name: 'endpoints', path: '#/endpoints', waitFor: 'text=lookup-word' },
    { name: 'endpoint', path: '#/endpoints/edit/lookup-word', waitFor: 'text=The code compiles' },
    { name: 'endpoint-metrics', path: '#/endpoints/metrics' },
    ...picturesOfAssistant(),
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
    {
      name: 'search-record',
      path: `#/?q=dog&record=${synset}`,
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
    { name: 'webhooks', path: '#/admin/webhooks', waitFor: 'text=retrying', isOnPhones: true },
    { name: 'connectors', path: '#/admin/connectors', waitFor: 'text=failed', isOnPhones: true },
    { name: 'deliveries', path: '#/admin/webhooks', open: openDeliveries },
    { name: 'call-trace', path: '#/endpoints/edit/words/about?tab=calls', open: openTrace },
    { name: 'migrations', path: '#/admin/migrations' },
    { name: 'jobs', path: '#/admin/jobs' },
    { name: 'backups', path: '#/admin/backups' },
    { name: 'logs', path: '#/admin/logs' },
    { name: 'settings', path: '#/admin/settings' },
    { name: 'interfaces', path: '#/admin/interfaces' },
    { name: 'definitions', path: '#/admin/definitions' },
    { name: 'deployments', path: '#/admin/deployments', waitFor: 'text=ci' },
    { name: 'api', path: '#/api?operation=getNode' },
    { name: 'license', path: '#/admin/license' },
  ];
}

function picturesOfAssistant(): readonly Picture[] {
  return [
    { name: 'chat', path: `#/chat/${assistant.chat}`, waitFor: 'text=to train on one' },
    { name: 'tools', path: '#/assistant/tools', waitFor: 'text=look_up' },
    { name: 'agent', path: '#/assistant/agents/explainer' },
    { name: 'deep-research', path: '#/assistant/research' },
    { name: 'golden-answers', path: '#/assistant/answers', waitFor: 'text=words' },
    {
      name: 'golden-run',
      path: '#/assistant/answers/words?run=1',
      waitFor: '[aria-label="Nuggets of trellis"]',
      isOnPhones: true,
    },
    {
      name: 'feedback',
      path: '#/assistant/feedback',
      waitFor: 'text=leaves out',
      isOnPhones: true,
    },
    { name: 'budgets', path: '#/assistant/budgets' },
    { name: 'providers', path: '#/assistant/providers' },
    {
      name: 'admin-agent',
      path: `#/assistant/admin-agent/${assistant.session}`,
      waitFor: 'text=export default',
    },
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
await using workspace = await pictureWorkspace(http, token);
const { word, synset } = workspace;
await using assistant = await pictureAssistant(http, { url: server.url, token });
const browser = await chromium.launch({ executablePath: chromiumFile(), args: ['--no-sandbox'] });
for (const theme of ['light', 'dark'] as const) {
  const chosen = pictures().filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  await takeAll(browser, theme, chosen, false);
  const onPhones = chosen.filter(({ isOnPhones }) => isOnPhones === true);
  await takeAll(browser, theme, onPhones, true);
}
await browser.close();

async function openDeliveries(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions on CRM' }).click();
  await page.getByRole('menuitem', { name: 'Deliveries' }).click();
  await page.getByText('Replay from here').first().waitFor();
}

async function openTrace(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Trace of the call/ })
    .first()
    .click();
  await page.getByRole('table', { name: 'Parts of the call' }).waitFor();
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
  for (const { name, path, waitFor, open } of taken) {
    const file = `${name}${isPhone ? '-phone' : ''}-${theme}.png`;
    // Otherwise the page before is there until the next one is read.
    await page.goto('about:blank');
    await page.goto(`${server.url}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (waitFor !== undefined) await page.locator(waitFor).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.waitForFunction('!document.querySelector("[role=status][aria-label=Loading]")');
    await open?.(page);
    await page.screenshot({ path: join(FOLDER, file) });
    process.stdout.write(`${file}\n`);
  }
  await context.close();
}
