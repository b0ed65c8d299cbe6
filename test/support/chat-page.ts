import type { Page } from 'playwright-core';
import { field } from './http-client.ts';
import { LlmWorkspace, MODEL } from './llm-workspace.ts';
import { items } from './people.ts';
import { LIBRARY_SCHEMA } from './workspace.ts';

export const TITLE = 'The <b>Ark</b>';
const LOOKUP = `
export const input = z.object({ word: z.string() });
export default async function ({ body, q }: Scope<{ word: string }>) {
  return await q().startAt('Book', body.word).nodes();
}`;

/** A workspace with a scripted provider, one book, and a tool that looks it up. */
export async function startLibraryChat(): Promise<{ at: LlmWorkspace; uid: string }> {
  const at = await LlmWorkspace.start();
  const send = (method: string, path: string, body: unknown) =>
    at.people.as('admin', method, path, body);
  await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  const fields = { Title: TITLE };
  await send('POST', '/api/ingest', {
    operations: [{ op: 'addOrUpdate', type: 'Book', key: 'ark', fields }],
  });
  const [book] = items(await send('POST', '/api/node/query', { type: 'Book' }));
  await send('POST', '/api/endpoints/create', {
    name: 'lookup',
    code: LOOKUP,
    isReadOnly: true,
    description: 'Looks up a book.',
  });
  await at.use('openai-compatible', { models: [MODEL, 'small'] });
  return { at, uid: field(book, 'UID') };
}

export const composer = (page: Page) => page.getByLabel('Message to the assistant');
export const answers = (page: Page) => page.getByRole('article', { name: 'Assistant' });

export async function ask(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}
