import { valueAt } from './http-client.ts';
import { untilIndexed } from './search-index.ts';
import type { TestWorkspace } from './workspace.ts';

const UNKNOWN_UID = '1111111111111111111112';

/** Pairs of notes: one has the word in its title, the other in its text. */
const NOTES = [
  ['harbour-title', 'Harbour', 'Where ships lie.'],
  ['harbour-text', 'Ships', 'They lie in the harbour.'],
  ['lantern-title', 'Lantern', 'What gives light.'],
  ['lantern-text', 'Light', 'It comes from a lantern.'],
  ['compass-text', 'North', 'Shown by a compass.'],
] as const;

/** A workspace with a few notes that can be searched by title and text, and queries for them. */
export class SearchableNotes {
  readonly #workspace: TestWorkspace;
  readonly #uids = new Map<string, string>();

  private constructor(workspace: TestWorkspace) {
    this.#workspace = workspace;
  }

  static async add(workspace: TestWorkspace): Promise<SearchableNotes> {
    const notes = new SearchableNotes(workspace);
    const fields = { Title: 'String', Text: 'String' };
    await notes.send('PUT', '/api/schema', {
      nodes: [{ type: 'Note', key: 'Name', fields }],
      edges: [],
    });
    await notes.send('POST', '/api/ingest', {
      operations: NOTES.map(([key, Title, Text]) => ({
        op: 'addOrUpdate',
        type: 'Note',
        key,
        fields: { Title, Text },
      })),
    });
    const { json } = await notes.send('POST', '/api/node/query', { type: 'Note' });
    for (const { Id, UID } of valueAt(json, 'items') as { Id: string; UID: string }[]) {
      notes.#uids.set(Id, UID);
    }
    await notes.boost({ title: 5, text: 1 });
    return notes;
  }

  async send(method: string, path: string, body?: unknown) {
    const { http, token } = this.#workspace;
    const answer = await http.send({ method, path, token, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  }

  uid(key: string): string {
    const uid = this.#uids.get(key);
    if (uid === undefined) throw new Error(`no note ${key}`);
    return uid;
  }

  /**
   * Notes with the word in the title are wanted for two words, and with it in the text for one of
   * these and another.
   */
  goldenSet() {
    return {
      description: 'What should be found.',
      request: { types: ['Note'] },
      queries: [
        { query: 'harbour', relevant: [this.uid('harbour-title')] },
        { query: 'harbours lie', relevant: [{ uid: this.uid('harbour-title'), grade: 2 }] },
        { query: 'lantern', relevant: [this.uid('lantern-text'), UNKNOWN_UID] },
        { query: 'compass', relevant: [this.uid('compass-text')] },
        { query: 'sextant', relevant: [this.uid('compass-text')] },
        { query: 'gone', relevant: [UNKNOWN_UID] },
      ],
    };
  }

  /** Weighs a word in the title and one in the text, and waits until the index does. */
  async boost({ title, text }: { title: number; text: number }): Promise<void> {
    const fields = { Title: { text: { boost: title } }, Text: { text: { boost: text } } };
    await this.send('PUT', '/api/search/settings', { types: { Note: { language: 'en', fields } } });
    await untilIndexed(this.#workspace.http, this.#workspace.token);
  }
}
