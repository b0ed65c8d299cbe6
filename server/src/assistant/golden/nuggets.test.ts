import type { GoldenQuestion } from '@trellis/contract/shapes/golden-answers.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { expect, it } from 'vitest';
import { nuggetRecall, nuggetResults } from './nuggets.ts';
import type { QuestionTrace } from './question-trace.ts';

const OAK = formatUid(randomUid());
const SNIPPET = { id: 1, uid: OAK, text: 'Oaks are old.' };
const READ = `{"UID":"${OAK}","Text":"Oaks are old."}`;
const TRACE: QuestionTrace = {
  question: 'How old?',
  answer: 'I am not sure.',
  read: [],
  inputs: [],
  found: [],
  cited: [],
};

const nugget = (
  trace: Partial<QuestionTrace>,
  { uids = [OAK], canSee = true }: { uids?: string[]; canSee?: boolean } = {},
) => {
  const nuggets: GoldenQuestion['nuggets'] = [{ text: 'Oaks are old', importance: 'vital', uids }];
  const sight = { canSee: () => canSee, values: () => [] };
  const [result] = nuggetResults({ nuggets }, { ...TRACE, ...trace }, { sight, judged: undefined });
  return result;
};

it.each<[what: string, trace: Partial<QuestionTrace>, result: object]>([
  [
    'no tool finds it',
    {},
    { found: false, read: false, cited: false, isFound: false, lostAt: 'search' },
  ],
  [
    'a tool finds it, and what the model gets is cut before it',
    { found: [SNIPPET], read: ['{"UID":"another"}'] },
    { found: true, read: false, cited: false, isFound: false, lostAt: 'reading' },
  ],
  [
    'the model reads it and does not say it',
    { found: [SNIPPET], read: [READ] },
    { found: true, read: true, cited: false, isFound: false, lostAt: 'answer' },
  ],
  [
    'the model says it without a citation',
    { found: [SNIPPET], read: [READ], answer: 'Oaks are **old**.' },
    { found: true, read: true, cited: false, isFound: true, by: 'text', lostAt: 'citing' },
  ],
  [
    'the model says it and cites it',
    { found: [SNIPPET], read: [READ], answer: 'Oaks are old [1].', cited: [SNIPPET] },
    { found: true, read: true, cited: true, isFound: true, by: 'text', lostAt: null },
  ],
])('says how far a nugget came: %s', (_what, trace, result) => {
  expect(nugget(trace)).toMatchObject(result);
});

it('of a nugget without nodes it looks for the words, and asks for no citation', () => {
  const uids: string[] = [];
  expect(nugget({ read: ['oaks are OLD'] }, { uids })).toMatchObject({
    found: true,
    read: true,
    lostAt: 'answer',
  });
  expect(nugget({ answer: 'Oaks are old.' }, { uids })).toMatchObject({ lostAt: null });
});

it('a nugget whose nodes the user may not see does not count', () => {
  const hidden = nugget({}, { canSee: false });
  expect(hidden).toMatchObject({ isFound: null, lostAt: 'access' });
  expect(nuggetRecall(hidden === undefined ? [] : [hidden], 'all')).toBeNull();
});
