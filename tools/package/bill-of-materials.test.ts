import { join } from 'node:path';
import { expect, it } from 'vitest';
import { billOfMaterials } from './bill-of-materials.ts';

/** npm refuses to make one where two packages want what does not go together. */
it('lists what the lock file ships, and nothing that is only for tests', () => {
  const bill = JSON.parse(billOfMaterials(join(import.meta.dirname, '../..'), '26.11.7'));
  const named = bill.components.map(({ name }: { name: string }) => name);
  expect(named).toEqual(expect.arrayContaining(['fastify', 'lmdb', 'react', 'zod']));
  expect(named).not.toContain('vitest');
});
