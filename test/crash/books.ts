import { expect } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';

export interface BookCounts {
  readonly books: number;
  readonly authors: number;
  readonly edges: number;
}

/** Counts over HTTP need an endpoint, as anybody's would. */
export async function createCounter(http: HttpClient, token: string): Promise<void> {
  const created = await http.send({
    path: '/api/endpoints/create',
    token,
    body: {
      name: 'count-books',
      isReadOnly: true,
      code: `export default async function ({ q }: Scope) {
        const [books, authors, summary] = await Promise.all([
          q().startAt('Book').count(),
          q().startAt('Author').count(),
          q().startAt('Book').neighborsSummary(),
        ]);
        return { books, authors, edges: summary['WrittenBy'] ?? 0 };
      }`,
    },
  });
  expect(created.json).toMatchObject({ compiles: true });
}

export async function countBooks(http: HttpClient, token: string): Promise<BookCounts> {
  const answer = await http.send({ method: 'POST', path: '/api/endpoints/run/count-books', token });
  expect(answer.status).toBe(200);
  return answer.json as BookCounts;
}
