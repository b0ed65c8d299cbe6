import { nodeUid } from '@trellis/client/uid.ts';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestWorkspace } from './workspace.ts';

const BOOKS = 30;
/** Ada wrote all books but the last, Bob the last two, Carl none. */
export const ADA = nodeUid('Author', 'Ada');
export const BOB = nodeUid('Author', 'Bob');
export const CARL = nodeUid('Author', 'Carl');
/** A name that every page must show as it is. */
export const ODD_TITLE = '"Stars" <b>& planets</b>';

/** Three authors and the books that they wrote. */
export async function fillWithAuthors({ http, token }: TestWorkspace): Promise<void> {
  const send = (method: string, path: string, body: unknown) =>
    http.send({ method, path, token, body });
  await send('PUT', '/api/schema', {
    nodes: [
      { type: 'Book', key: 'Isbn', fields: { Title: 'String' }, label: 'Title' },
      { type: 'Author', key: 'Name', fields: { Born: 'Int' } },
    ],
    edges: [{ type: 'Wrote' }, { type: 'Knows' }],
  });
  const book = (n: number) => ({ type: 'Book', key: `b${n}` });
  const wrote = (key: string, n: number) => ({
    op: 'link',
    from: { type: 'Author', key },
    edge: 'Wrote',
    to: book(n),
  });
  const answer = await send('POST', '/api/ingest', {
    operations: [
      ...['Ada', 'Bob', 'Carl'].map((key) => ({
        op: 'addOrUpdate',
        type: 'Author',
        key,
        fields: { Born: 1815 },
      })),
      ...Array.from({ length: BOOKS + 1 }, (_, n) => ({
        op: 'addOrUpdate',
        ...book(n),
        fields: { Title: n === 0 ? ODD_TITLE : `Book ${n}` },
      })),
      ...Array.from({ length: BOOKS }, (_, n) => wrote('Ada', n)),
      wrote('Bob', BOOKS - 1),
      wrote('Bob', BOOKS),
    ],
  });
  expect(answer.status).toBe(200);
}

/** What the page of the graph says of the drawing. */
export const statusOf = (page: Page, text: string): Locator =>
  page.getByRole('status').filter({ hasText: text });

export const button = (at: Page | Locator, name: string | RegExp) =>
  at.getByRole('button', { name });
