import { expect, it } from 'vitest';
import { CallFault } from './endpoint-call.ts';
import { scale } from '../../../../test/support/scale.ts';
import { openTestPool } from '../testing/test-pool.ts';

const CALLS = scale({ sample: 2_000, soak: 10_000 });
const RUNAWAYS = 4;
const CLIENTS = 32;

const READS = "return (await scope.graph.tryGet('Book', 'read'))?.Pages ?? 0;";
/** What it writes stands before it is answered. */
const WRITES = `
  await scope.graph.addOrUpdate('Book', scope.body);
  await scope.graph.commit();
  await scope.graph.tryGet('Book', scope.body);
  return 'written';`;

it('4 runaways among many calls fail none but calls that wrote, and nothing is written twice', async () => {
  await using pool = await openTestPool(2);
  const failed: { readonly name: string; readonly error: unknown }[] = [];
  const runaways: Promise<{ kind: string }>[] = [];
  let next = 0;
  const client = async () => {
    for (let i = next++; i < CALLS; i = next++) {
      if (i % (CALLS / RUNAWAYS) === 100) {
        const name = `runaway ${i}`;
        runaways.push(pool.fault('for (;;);', { name, timeoutMs: 300 }));
      }
      const isWrite = i % 10 === 0;
      const [name, code] = isWrite ? ['writes', WRITES] : ['reads', READS];
      const call = { name, body: JSON.stringify(`w${i}`), timeoutMs: 60_000 };
      await pool.run(code, call).catch((error: unknown) => failed.push({ name, error }));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));

  expect((await Promise.all(runaways)).map(({ kind }) => kind)).toEqual(
    Array.from({ length: RUNAWAYS }, () => 'timeout'),
  );
  for (const { name, error } of failed) {
    expect(name, 'a call that could have been begun again').toBe('writes');
    expect(error).toBeInstanceOf(CallFault);
    expect(error).toMatchObject({ kind: 'stopped' });
  }
  // No more than were under way with each runaway.
  expect(failed.length).toBeLessThanOrEqual(RUNAWAYS * CLIENTS);
  const { reader } = pool.graph;
  reader.refresh();
  for (let i = 0; i < CALLS; i += 10) {
    const id = reader.id({ type: 'Book', key: `w${i}` });
    expect(id === undefined ? 0 : reader.version(id), `w${i}`).toBe(1);
  }
});
