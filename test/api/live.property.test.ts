import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scale, seed } from '../support/scale.ts';
import {
  anyBookChange,
  type BookChange,
  BookWatchers,
  BookWorkspace,
  WATCHERS,
} from '../support/watched-books.ts';
import { startWorkspace } from '../support/workspace.ts';

type Step =
  | BookChange
  | { readonly do: 'reconnect'; readonly person: (typeof WATCHERS)[number] }
  | { readonly do: 'kill' };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: anyBookChange },
  fc.record({ do: fc.constant('reconnect' as const), person: fc.constantFrom(...WATCHERS) }),
);

const WHOLE_MS = scale({ sample: 300_000, soak: 3_600_000 });

test(
  'the stream of a watch is what polling after every commit gives',
  async () => {
    await using workspace = await startWorkspace();
    const { http, server } = workspace;
    const place = { address: server.url, http };
    const books = await BookWorkspace.prepare(() => http);
    let rounds = 0;
    let told = 0;

    const run = fc.asyncProperty(
      fc.array(anyStep, { minLength: 6, maxLength: 10 }),
      fc.nat(10),
      async (given, killedAt) => {
        const steps: readonly Step[] = given.toSpliced(killedAt, 0, { do: 'kill' });
        const round = String(++rounds);
        await using watchers = new BookWatchers(books, round);
        for (const name of WATCHERS) await watchers.open(name, place);
        await watchers.compare();
        for (const step of steps) {
          if (step.do === 'reconnect') {
            await watchers.goOn(step.person, place, true);
          } else if (step.do === 'kill') {
            await workspace.restart();
            for (const name of WATCHERS) await watchers.goOn(name, place, false);
          } else {
            await books.carryOut(step, round);
          }
          await watchers.compare();
        }
        // The next thing that is told is this, and nothing that was not polled.
        await books.mark(round);
        await watchers.compare();
        told += watchers.told;
      },
    );
    await fc.assert(run, { seed: seed(), numRuns: scale({ sample: 2, soak: 500 }) });
    // More than the first answer to each, and the last.
    expect(told).toBeGreaterThan(2 * WATCHERS.length * rounds);
  },
  WHOLE_MS,
);
