import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { operations } from '../../operations.ts';
import { openApiDocument } from '../document.ts';
import { answerExample, requestExample } from './examples.ts';

const document = openApiDocument('1.2.3');

function faults(shape: z.ZodType | undefined, value: unknown): unknown {
  return shape?.safeParse(value).error?.issues ?? [];
}

describe('examples', () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))(
    'of %s fit what is sent and answered',
    (_, operation) => {
      const { params, query, body, responses } = operation;
      const example = requestExample(operation);
      if (example?.params !== undefined) expect(faults(params, example.params)).toEqual([]);
      if (example?.query !== undefined) expect(faults(query, example.query)).toEqual([]);
      if (example?.body !== undefined) expect(faults(body, example.body)).toEqual([]);
      const answer = answerExample(operation);
      if (answer?.body === undefined) return;
      expect(faults(responses[answer.status]?.body, answer.body)).toEqual([]);
    },
  );

  it('stand in the document', () => {
    const all = Object.values(document.paths).flatMap((item) => Object.values(item));
    const having = all.filter((operation) => JSON.stringify(operation).includes('"example":'));
    expect(having.length).toBeGreaterThan(150);
  });

  it('tell nothing of the machine that recorded them', () => {
    const told = JSON.stringify(operations.map(answerExample));
    expect(told).not.toMatch(/\/tmp\/|\/home\/|localhost|127\.0\.0\.1:/);
  });
});
