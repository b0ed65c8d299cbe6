import { expect, it } from 'vitest';
import type { CommitResult } from '#graph/operations.ts';
import { AwaitedCommits } from './awaited-commits.ts';

const RESULT: CommitResult = {
  sequence: 1,
  nodes: 0,
  created: 0,
  edges: 0,
  splits: 0,
  outcomes: [],
};

function scene() {
  const made: PromiseWithResolvers<CommitResult>[] = [];
  const commits = new AwaitedCommits({
    commit: () => {
      const commit = Promise.withResolvers<CommitResult>();
      made.push(commit);
      return commit.promise;
    },
  });
  return { commits, made };
}

it('waits for the last commit that is under way, also for one that is refused', async () => {
  const { commits, made } = scene();
  const order: string[] = [];
  const first = commits.commit({ operations: [] }).then(() => order.push('first'));
  const second = commits.commit({ operations: [] }).catch(() => order.push('second'));
  const stopped = commits.settled(600_000).then(() => order.push('stopped'));
  made[0]?.resolve(RESULT);
  await first;
  made[1]?.reject(new Error('full'));
  await Promise.all([second, stopped]);
  expect(order).toEqual(['first', 'second', 'stopped']);
});

it('waits for nothing when there is none, and not for ever', async () => {
  const { commits } = scene();
  await commits.settled(600_000);
  void commits.commit({ operations: [] });
  await commits.settled(1);
  expect(commits).toBeInstanceOf(AwaitedCommits);
});
