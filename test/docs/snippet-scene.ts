import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddingServer } from '../support/embedding-server.ts';
import { says } from '../support/llm-server.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import { runTrellis } from '../support/command-line.ts';
import { NpmFolder } from '../support/npm-folder.ts';
import { untilEmbedded } from '../support/search-index.ts';
import { ADMIN_PASSWORD, temporaryFolder } from '../support/trellis-process.ts';

const MODULES = resolve(import.meta.dirname, '../../node_modules');

const SCHEMA = {
  nodes: [
    { type: 'Word', key: 'Lemma', fields: { Lemma: 'String' } },
    {
      type: 'Synset',
      key: 'SynsetId',
      fields: { Gloss: 'String', Name: 'String', LexFile: 'String' },
    },
    { type: 'Book', key: 'Isbn', fields: { Title: 'String', AuthorName: 'String' } },
    { type: 'Author', key: 'Name', fields: {} },
    { type: 'Contract', key: 'Number', fields: { Text: 'String' } },
    { type: 'Task', key: 'Number', fields: { Title: 'String', Cost: 'Int' } },
    { type: 'City', key: 'Name', fields: { Country: 'String', People: 'Int', Place: 'GeoPoint' } },
  ],
  edges: [
    { type: 'HasSense', inverse: 'SenseOf' },
    { type: 'SenseOf', inverse: 'HasSense' },
    { type: 'WrittenBy', inverse: 'Wrote' },
    { type: 'Wrote', inverse: 'WrittenBy' },
    { type: 'Needs' },
    { type: 'Rail', fields: { Minutes: 'Int' } },
  ],
};
const [word, synset, dune] = [
  { type: 'Word', key: 'dog' },
  { type: 'Synset', key: 'n1' },
  { type: 'Book', key: 'b1' },
];
const herbert = { type: 'Author', key: 'Frank Herbert' };
/** The oldest first. */
const CITIES = [
  ['Graz', 'Austria', 300_000, 47.07, 15.44],
  ['Vienna', 'Austria', 2_000_000, 48.21, 16.37],
  ['Linz', 'Austria', 210_000, 48.31, 14.29],
  ['Brno', 'Czechia', 400_000, 49.2, 16.61],
  ['Prague', 'Czechia', 1_400_000, 50.08, 14.42],
].map(([key, Country, People, lat, lon], i) => ({
  op: 'addOrUpdate',
  type: 'City',
  key,
  fields: { Country, People, Place: { lat, lon } },
  timestamp: `${2020 + i}-01-01T00:00:00Z`,
}));
const RAILS = [
  ['Vienna', 'Graz', 150],
  ['Vienna', 'Linz', 75],
  ['Vienna', 'Brno', 90],
  ['Linz', 'Prague', 240],
  ['Brno', 'Prague', 150],
].map(([from, to, Minutes]) => ({
  op: 'link',
  from: { type: 'City', key: from },
  edge: 'Rail',
  to: { type: 'City', key: to },
  fields: { Minutes },
}));
const OPERATIONS = [
  ...CITIES,
  ...RAILS,
  { op: 'addOrUpdate', ...word },
  { op: 'addOrUpdate', ...synset, fields: { Gloss: 'a boat in a storm' } },
  {
    op: 'addOrUpdate',
    type: 'Synset',
    key: 'n2',
    fields: { Gloss: 'boats in a calm', Name: 'bread', LexFile: 'noun.food' },
  },
  { op: 'link', from: word, edge: 'HasSense', inverse: 'SenseOf', to: synset },
  { op: 'addOrUpdate', ...dune, fields: { Title: 'Dune', AuthorName: 'Frank Herbert' } },
  { op: 'addOrUpdate', ...herbert },
  { op: 'link', from: dune, edge: 'WrittenBy', inverse: 'Wrote', to: herbert },
  {
    op: 'addOrUpdate',
    type: 'Contract',
    key: 'c1',
    fields: { Text: 'The tenant pays for repairs.' },
  },
];
const SEARCH = {
  types: {
    Word: { fields: { Lemma: { text: {} } } },
    City: { fields: { Country: { text: {}, facet: true } } },
    Synset: { language: 'en', fields: { Gloss: { text: {}, vector: {} } } },
    Contract: { language: 'en', fields: { Text: { text: {}, vector: {} } } },
  },
};

/** A text of which the model knows what it states. */
const READ = 'Ada sails the Aurora';
const READ_OUT = JSON.stringify({
  nodes: ['Ada', 'Aurora'].map((key) => ({
    type: key === 'Ada' ? 'Sailor' : 'Ship',
    key,
    fields: {},
    confidence: 0.9,
    quote: READ,
  })),
  edges: [],
});
/** What a model answers that plans a research. */
const PLAN = JSON.stringify([{ researcher: 'Facts', question: 'What is a dog?' }]);

/**
 * What the snippets of the documents take for granted: their types and nodes, a model that answers,
 * and one that embeds.
 */
export class SnippetScene implements AsyncDisposable {
  readonly #llm: LlmWorkspace;
  readonly #embeddings: EmbeddingServer;

  private constructor(llm: LlmWorkspace, embeddings: EmbeddingServer) {
    this.#llm = llm;
    this.#embeddings = embeddings;
  }

  static async start(): Promise<SnippetScene> {
    const at = new SnippetScene(await LlmWorkspace.start(), await EmbeddingServer.start());
    await at.#llm.use('openai-compatible');
    const embeddings = { provider: 'openai-compatible', model: 'small', apiKey: 'sk-1' };
    await at.admin('PUT', '/api/chatai/providers', {
      embeddings: { ...embeddings, baseUrl: at.#embeddings.url },
    });
    at.#llm.provider.script.turn = ({ body }) => {
      const asked = JSON.stringify(body);
      if (asked.includes('You plan research')) return says(PLAN);
      return says(asked.includes(READ) ? READ_OUT : 'A dog is a word.');
    };
    await at.admin('PUT', '/api/schema', SCHEMA);
    await at.admin('PUT', '/api/search/settings', SEARCH);
    await at.admin('POST', '/api/ingest', { operations: OPERATIONS });
    const { people } = at.#llm;
    await untilEmbedded(people.workspace.http, people.token('admin'));
    return at;
  }

  /** The body of what an administrator is answered. */
  async admin(method: string, path: string, body?: unknown) {
    const answer = await this.#llm.people.as('admin', method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  /**
   * Runs files, of which `program.ts` is the program, as somebody would who copied them; gives what
   * it prints.
   */
  async run(files: Readonly<Record<string, string>>, args: readonly string[] = []) {
    await using folder = await temporaryFolder();
    await symlink(MODULES, join(folder.path, 'node_modules'));
    await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder.path, path)), { recursive: true });
      await writeFile(join(folder.path, path), this.#placed(text));
    }
    const all = ['--disable-warning=ExperimentalWarning', ...args, 'program.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, all, {
      cwd: folder.path,
      env: {
        PATH: process.env['PATH'],
        BASE_URL: this.#llm.people.workspace.server.url,
        TOKEN: this.#llm.people.token('admin'),
        LLM_TOKEN: this.#llm.people.token('llm-openai'),
        ANTHROPIC_TOKEN: this.#llm.people.token('llm-anthropic'),
        PASSWORD: ADMIN_PASSWORD,
      },
    });
    return stdout;
  }

  /** Sends definitions from a folder with packages of npm. */
  async push(files: Readonly<Record<string, string>>, packages: readonly string[]): Promise<void> {
    await using folder = await NpmFolder.with(packages);
    await folder.write(files);
    const { people } = this.#llm;
    const server = people.workspace.server.url;
    const asked = { home: folder.path, server, token: people.token('admin') };
    const { code, stderr } = await runTrellis(['push', folder.path], asked);
    if (code !== 0) throw new Error(stderr);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#llm[Symbol.asyncDispose]();
    await this.#embeddings[Symbol.asyncDispose]();
  }

  /** The documents name no real servers: this one stands for them. */
  #placed(text: string): string {
    const { url } = this.#llm.people.workspace.server;
    return text.replaceAll(/https:\/\/(?:graph\.example\.org|trellis\.example)/g, url);
  }
}
