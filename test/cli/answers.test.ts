import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeUid } from '@trellis/client/uid.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { GoldenScene } from '../support/golden-scene.ts';
import { says } from '../support/llm-server.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let scene: GoldenScene;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  scene = await GoldenScene.start();
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const answers = (...args: readonly string[]) =>
  runTrellis(['answers', ...args], {
    home: folder.path,
    server: scene.at.people.workspace.server.url,
    token: scene.at.people.token('admin'),
  });
const QUESTIONS = {
  description: 'Trees',
  questions: [
    {
      id: 'oak',
      question: 'How old?',
      asUser: 'ann',
      nuggets: [
        { text: 'grow for centuries', uids: ['Note/oak'] },
        { text: 'of the genus Quercus', importance: 'okay' },
      ],
    },
    { id: 'pay', question: 'Pay?', asUser: 'ann', mustRefuse: true, mustNotReveal: ['Note/pay'] },
  ],
};

test('sets are kept from a file, with nodes by type and key', async () => {
  const file = join(folder.path, 'trees.json');
  await writeFile(file, JSON.stringify(QUESTIONS));
  expect(await answers('set', 'trees', file)).toEqual({
    code: 0,
    stdout: '',
    stderr: 'The golden answers trees have 2 questions.\n',
  });
  const kept = JSON.parse((await answers('get', 'trees')).stdout);
  expect(kept.questions[0].nuggets[0]).toEqual({
    text: 'grow for centuries',
    importance: 'vital',
    uids: [nodeUid('Note', 'oak')],
  });
  expect(kept.questions[1].mustNotReveal).toEqual([nodeUid('Note', 'pay')]);
  expect((await answers('list')).stdout).toMatch(/^NAME +QUESTIONS.*\ntrees +2 +.*Trees$/m);
});

test('eval shows metrics and what was lost, and fails below a floor and when an answer leaks', async () => {
  scene.script({
    'How old?': { finds: ['oak'], says: 'Oaks grow for centuries [1].' },
    'Pay?': { says: 'I have found no information on that.' },
  });
  const good = await answers('eval', 'trees', '--fail-under', '0.9', '--fail-under', 'refusals=1');
  expect([good.code, good.stderr]).toEqual([0, '']);
  expect(good.stdout).toMatch(/^trees, run 1: 2 of 2 questions, large, no judge, \d+ tokens\n/);
  expect(good.stdout).toMatch(/\nnugget recall \(vital\) +1\.000 +\[0\.207, 1\.000\] +1\n/);
  expect(good.stdout).toMatch(/\noak +search +of the genus Quercus$/m);
  for (const name of ['citation recall (ALCE)', 'citation precision (ALCE)', 'refusals']) {
    expect(good.stdout).toContain(`\n${name} `);
  }

  scene.script({
    'How old?': { says: 'They are green.' },
    'Pay?': { says: 'Bob earns 4711.' },
  });
  const bad = await answers('eval', 'trees', '--compare', '1', '--fail-under', '0.9');
  expect(bad.code).toBe(1);
  expect(bad.stderr.split('\n')).toEqual([
    'nugget recall (vital) is 0.000, below 0.9',
    'answers leak: pay',
    '',
  ]);
  expect(bad.stdout).toContain('SINCE RUN 1');
  expect(bad.stdout).toMatch(/\npay +answer +\S{22} +Salary +4711$/m);

  // People say that the report is wrong of one nugget, and right of the other.
  const labels = ['found', 'missing'].map((verdict, nugget) => ({
    question: 'oak',
    nugget,
    verdict: verdict as 'found' | 'missing',
  }));
  await scene.admin.goldenAnswers.label('trees', { run: 2, labels });
  const labelled = await answers('eval', 'trees', '--max-questions', '1');
  expect(labelled.stdout).toMatch(
    /\npeople and report on nuggets: Cohen's kappa 0\.000 \[-?\d\.\d{3}, \d\.\d{3}\], from 2 verdicts\n.*below 0\.7\.\n$/,
  );

  const json = await answers('eval', 'trees', '--json', '--max-questions', '1');
  expect(json.code).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({ run: 4, questions: 1, state: 'completed' });
  expect((await answers('runs', 'trees')).stdout.split('\n')).toHaveLength(6);

  const cut = await answers('eval', 'trees', '--max-tokens', '1');
  expect([cut.code, cut.stderr]).toEqual([1, 'The run is not complete: out-of-tokens.\n']);
});

test.each([
  [['--fail-under', '2'], 'no value from 0 to 1'],
  [['--fail-under', 'beauty=0.5'], 'no value from 0 to 1'],
  [['--max-tokens', 'many'], 'no whole number'],
])('eval %s is wrong usage', async (options, why) => {
  const { code, stderr } = await answers('eval', 'trees', ...options);
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
});

test('what is not there is said, and deleted is gone', async () => {
  const missing = await answers('eval', 'trees', '--compare', '99');
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('has no run 99')]);
  await answers('delete', 'trees');
  const gone = await answers('get', 'trees');
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('"trees"')]);
});

test('answers that users have rated are listed, and each is shown with what led to it', async () => {
  const { at } = scene;
  at.script(says('Old.\u001b[31m'));
  const { chatUID, messageUID } = await at.answered('ann', { message: 'How old\nare oaks?' });
  const path = `/api/chatai/chats/${chatUID}/messages/${messageUID}/feedback`;
  await at.ok('ann', 'PUT', path, { value: 'down', comment: 'Too short.' });
  const listed = await answers('feedback', '--value', 'down', '--take', '5');
  expect(listed.stdout).toMatch(/^ANSWER +AT +RATED +BY +MODEL +COMMENT *\n/);
  expect(listed.stdout).toMatch(
    new RegExp(`^${messageUID} .* down +ann +large +Too short\\.$`, 'm'),
  );
  expect(JSON.parse((await answers('feedback', '--value', 'up', '--json')).stdout)).toEqual([]);
  expect((await answers('feedback', messageUID)).stdout).toBe(
    'ann:\nHow old\nare oaks?\n\nAssistant:\nOld.\ufffd[31m\n\nann rates it down: Too short.\n',
  );
  const missing = await answers('feedback', chatUID);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no feedback')]);
});
