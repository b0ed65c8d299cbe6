import { expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import type { ModelOutcome, ModelRequest } from '../model/model-run.ts';
import { recited, type ResearchParts, ResearchRun, type ResearchTask } from './research-run.ts';
import { WorkspaceBrief } from '../model/workspace-brief.ts';
import { NO_SUPPORT } from '../support/support.ts';
import { Snippets } from '../citations/snippets.ts';

const MINUTE_MS = 60_000;
const ADDED = 'A "tome" is a book of more than 500 pages.';
const CALLER = {
  kind: 'session',
  userUid: 'ann',
  userName: 'ann',
  isAdmin: false,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: [],
  endpointPath: null,
  tokenId: 't',
} as const;

/** A model that takes its time: what it says, or throws, and for how long, by who is asked. */
type Answers = (
  who: 'plan' | 'study' | 'report',
  request: ModelRequest,
) => {
  readonly text?: string;
  readonly ms?: number;
  readonly error?: unknown;
};

function runOf(
  answers: Answers,
  more: Partial<ResearchTask> = {},
  checker: ResearchParts['checker'] = { check: async () => NO_SUPPORT },
) {
  const clock = { ms: 1_000, now: () => clock.ms };
  const asked: ModelRequest[] = [];
  const models: ResearchParts['models'] = {
    run: async (request) => {
      asked.push(request);
      const { text = '', ms = 0, error } = answers(whoOf(request), request);
      const timeMs = Math.min(ms, request.limits.timeoutMs);
      clock.ms += timeMs;
      request.onEvent?.({ kind: 'text', text });
      if (error !== undefined) throw error;
      if (timeMs < ms) throw new Problem('llm_timeout', 'The model had no answer in time.');
      return outcome(text);
    },
  };
  const task: ResearchTask = {
    caller: () => CALLER,
    question: 'Why?',
    model: 'm',
    limits: { steps: 60, tokens: 1_000, minutes: 4 },
    researchers: [{ name: 'One', instructions: 'Look.' }],
    cited: [],
    job: { report: () => {}, log: () => {} },
    signal: new AbortController().signal,
    ...more,
  };
  const brief = new WorkspaceBrief({
    types: () => ({ types: [], edges: [] }),
    instructions: () => ADDED,
  });
  return {
    run: new ResearchRun({ models, clock, brief, checker, tools: async () => [] }, task),
    asked,
  };
}

function whoOf({ instructions }: ModelRequest): Parameters<Answers>[0] {
  if (instructions.startsWith('You plan')) return 'plan';
  return instructions.startsWith('You are the researcher') ? 'study' : 'report';
}

function outcome(text: string): ModelOutcome {
  const usage = { inputTokens: 10, outputTokens: 5 };
  return { text, toolCalls: [], usage, model: 'm', ended: 'answer' };
}

const TWO = { text: '["a", "b"]' };

it('makes the report of what was said when its minutes were over, and keeps time for it', async () => {
  const { run, asked } = runOf((who) => {
    if (who === 'plan') return TWO;
    return who === 'study' ? { text: 'So far.', ms: 2 * MINUTE_MS } : { text: 'The report.' };
  });
  const { text, limit, usage } = await run.do();
  expect(limit).toBe('minutes');
  expect(text).toBe(
    'The report.\n\n*This research ended at its limit of 4 minutes; the report may be incomplete.*',
  );
  // The second study has one of its two minutes, of the three that studies have.
  expect(asked.map(({ limits }) => limits.timeoutMs / MINUTE_MS)).toEqual([3, 3, 1, 1]);
  const [{ text: notes = '' } = {}] = asked.at(-1)?.messages ?? [];
  expect(notes.match(/So far\./g)).toHaveLength(2);
  expect(notes).toContain('ended at its limit of 4 minutes');
  expect(usage).toEqual({ inputTokens: 30, outputTokens: 15 });
});

it('tells who plans, studies and writes what administrators add', async () => {
  const { run, asked } = runOf((who) => (who === 'plan' ? TWO : { text: 'Said.' }));
  await run.do();
  expect(asked.map((request) => [whoOf(request), request.instructions.includes(ADDED)])).toEqual([
    ['plan', true],
    ['study', true],
    ['study', true],
    ['report', true],
  ]);
});

it('asks nobody any more when the plan has taken all the time', async () => {
  const { run, asked } = runOf(() => ({ text: '["a"', ms: 9 * MINUTE_MS }));
  expect(await run.do()).toMatchObject({
    text: expect.stringMatching(/^Nothing was found out\..*4 minutes/s),
    limit: 'minutes',
  });
  expect(asked).toHaveLength(1);
});

it('leaves the notes when there is no time for the report', async () => {
  const { run } = runOf((who) => {
    if (who === 'plan') return TWO;
    return who === 'study' ? { text: 'A note.' } : { ms: 9 * MINUTE_MS };
  });
  expect(await run.do()).toMatchObject({ text: expect.stringMatching(/^## a.*A note\..*## b/s) });
});

it('shares steps and tokens out, and counts for a failure all that it might have used', async () => {
  const { run, asked } = runOf((who, { messages }) => {
    if (who === 'plan') return TWO;
    if (who === 'report') return { text: 'The report.' };
    const isFirst = messages[0]?.text.endsWith('a') === true;
    return isFirst ? { error: new Problem('llm_unavailable', 'Gone.') } : { text: 'A note.' };
  });
  expect(await run.do()).toMatchObject({ text: 'The report.', limit: null });
  expect(asked.map(({ limits }) => [limits.stepsMax, limits.tokensMax])).toEqual([
    [1, 750],
    [29, 367],
    [29, 367],
    [1, 1_000 - 15 - 367 - 15],
  ]);
});

/** Says that so many sentences of each note are supported, and so many are not. */
function checkerOf(supported: number, unsupported: number): ResearchParts['checker'] {
  const sentence = { sentence: 'It is.', start: 0, end: 6, citations: [] };
  const support = [
    ...Array.from({ length: supported }, () => ({ ...sentence, verdict: 'supported' as const })),
    ...Array.from({ length: unsupported }, () => ({
      ...sentence,
      verdict: 'unsupported' as const,
    })),
  ];
  return {
    check: async ({ answer }) => (answer === 'A note.' ? { ...NO_SUPPORT, support } : NO_SUPPORT),
  };
}

const THREE: Answers = (who) => ({
  text: { plan: '["a", "b", "c"]', study: 'A note.', report: 'The report.' }[who],
});

it('stops asking for more when too little of its notes is supported, and says so', async () => {
  const logged: string[] = [];
  const job = { report: () => {}, log: (text: string) => void logged.push(text) };
  const { run, asked } = runOf(THREE, { job }, checkerOf(1, 3));
  const { text, limit } = await run.do();
  expect(asked.map(whoOf)).toEqual(['plan', 'study', 'report']);
  const remark =
    'This research stopped asking for more: what they cite supports only 1 of 4 checked sentences of its notes.';
  expect(text).toBe(`The report.\n\n*${remark}*`);
  expect(limit).toBeNull();
  expect(logged.filter((line) => line === remark)).toHaveLength(1);
  const [{ text: told = '' } = {}] = asked.at(-1)?.messages ?? [];
  expect(told).toContain(remark);
  expect(told.match(/not studied any more/g)).toHaveLength(2);
});

it.each([
  ['half of them is enough', 2, 2],
  ['three sentences say too little', 0, 1],
])('goes on: %s', async (_why, supported, unsupported) => {
  const { run, asked } = runOf(THREE, {}, checkerOf(supported, unsupported));
  expect((await run.do()).text).toBe('The report.');
  expect(asked.map(whoOf)).toEqual(['plan', 'study', 'study', 'study', 'report']);
});

it('fails with what is nobody’s doing, once nothing goes on', async () => {
  const { run, asked } = runOf(
    (who) => (who === 'plan' ? TWO : { error: new Error('a fault of ours') }),
    { researchers: ['One', 'Two'].map((name) => ({ name, instructions: 'Look.' })) },
  );
  await expect(run.do()).rejects.toThrow('a fault of ours');
  expect(asked.map(whoOf)).toEqual(['plan', 'study', 'study']);
});

it('numbers citations in the order in which they come, and leaves out those that are made up', () => {
  const from = new Snippets();
  for (const name of ['a', 'b', 'c']) from.add(name, `Name: ${name}`);
  const into = new Snippets([{ id: 4, uid: 'b', text: 'Name: b' }]);
  const text = 'C [3][03], b [2] and c [3] again [9]; [x] and [ 1 ] stay. A[1]';
  expect(recited(text, from, into)).toBe(
    'C [5][5], b [4] and c [5] again; [x] and [ 1 ] stay. A[6]',
  );
  expect(into.citedIn('[4][5][6]').map(({ uid }) => uid)).toEqual(['b', 'c', 'a']);
});
