import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GoldenScene } from '../support/golden-scene.ts';
import { says } from '../support/llm-server.ts';
import { items } from '../support/people.ts';

let scene: GoldenScene;
let uids: Readonly<Record<'oak' | 'elm' | 'pay', string>>;
beforeAll(async () => {
  scene = await GoldenScene.start();
  const [oak, elm, pay] = await Promise.all(
    ['oak', 'elm', 'pay'].map((one) => scene.at.uidOf(one)),
  );
  uids = { oak: oak!, elm: elm!, pay: pay! };
});
afterAll(() => scene[Symbol.asyncDispose]());

const SETS = '/api/chatai/golden-sets';
const as = (who: string, method: string, path: string, body?: unknown) =>
  scene.at.people.as(who, method, path, body);
const resultOf = (report: Awaited<ReturnType<GoldenScene['run']>>, id: string) => {
  const found = report.results.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no result of ${id}`);
  return found;
};

describe('a set of golden answers', () => {
  const questions = [{ id: 'one', question: 'How old are oaks?', nuggets: [{ text: 'old' }] }];

  test('is kept, listed, replaced and deleted by administrators', async () => {
    const made = await as('admin', 'PUT', `${SETS}/kept`, { questions });
    expect([made.status, made.json]).toEqual([
      200,
      {
        name: 'kept',
        description: '',
        questions: [{ ...questions[0], nuggets: [{ text: 'old', importance: 'vital' }] }],
        version: 1,
      },
    ]);
    expect((await as('admin', 'GET', `${SETS}/kept`)).json).toEqual(made.json);
    expect((await as('admin', 'GET', SETS)).json).toEqual({
      items: [{ name: 'kept', description: '', questions: 1, lastRun: null }],
    });
    expect((await as('ann', 'GET', SETS)).status).toBe(403);
    expect((await as('admin', 'GET', `${SETS}/kept/runs/1`)).json).toMatchObject({
      error: { code: 'golden_run_not_found' },
    });
    expect((await as('admin', 'DELETE', `${SETS}/kept`)).status).toBe(204);
    expect((await as('admin', 'GET', `${SETS}/kept`)).json).toMatchObject({
      error: { code: 'golden_answers_not_found' },
    });
    const audited = items(await as('admin', 'GET', '/api/audit?action=golden-answers&take=50'));
    expect(audited.map(({ action }) => action)).toEqual([
      'golden-answers.deleted',
      'golden-answers.changed',
    ]);
  });

  test('is not replaced by who has seen an older version, also when two come at once', async () => {
    const put = (description: string, version?: number) =>
      as('admin', 'PUT', `${SETS}/edited`, { description, questions, version });
    const outcomes = async (...sent: ReturnType<typeof put>[]) =>
      (await Promise.all(sent)).map(({ status }) => status).toSorted();
    expect(await outcomes(put('a', 0), put('b', 0))).toEqual([200, 409]);
    expect(await outcomes(put('c', 1), put('d', 1), put('e', 1))).toEqual([200, 409, 409]);
    const late = await put('f', 1);
    expect([late.status, Object(late.json).error]).toMatchObject([
      409,
      { code: 'version_conflict', details: { seenVersion: 1, currentVersion: 2 } },
    ]);
    // Without a version nobody is asked.
    expect(await outcomes(put('g'), put('h'), put('i'))).toEqual([200, 200, 200]);
    expect((await as('admin', 'GET', `${SETS}/edited`)).json).toMatchObject({ version: 5 });
    expect((await as('admin', 'DELETE', `${SETS}/edited`)).status).toBe(204);
  });

  test.each([
    ['no question', { questions: [] }, 'questions'],
    ['an id twice', { questions: [questions[0], questions[0]] }, 'questions.1.id'],
    [
      'what is no UID',
      { questions: [{ ...questions[0], nuggets: [{ text: 'old', uids: ['!'] }] }] },
      'questions.0.nuggets.0.uids.0',
    ],
    [
      'what is no UID to hide',
      { questions: [{ ...questions[0], mustNotReveal: ['x'] }] },
      'questions.0.mustNotReveal.0',
    ],
    ['more than it knows', { questions, queries: [] }, ''],
  ])('is refused with %s', async (_, body, path) => {
    const { status, json } = await as('admin', 'PUT', `${SETS}/refused`, body);
    expect([status, Object(json).error.code]).toEqual([400, 'invalid_request']);
    expect(JSON.stringify(Object(json).error.details)).toContain(path);
  });
});

describe('a run', () => {
  const put = (name: string, questions: readonly object[]) =>
    scene.at.ok('admin', 'PUT', `${SETS}/${name}`, { questions });

  test('asks as its users, and says of each nugget where it went missing', async () => {
    await put('notes', [
      {
        id: 'oak',
        question: 'How old?',
        asUser: 'ann',
        nuggets: [
          { text: 'grow for centuries', importance: 'vital', uids: [uids.oak] },
          { text: 'Oak', importance: 'okay', uids: [uids.oak] },
          { text: 'Elms are rare', importance: 'vital', uids: [uids.elm] },
          { text: 'What Bob earns', importance: 'vital', uids: [uids.pay] },
        ],
      },
      {
        id: 'elm',
        question: 'How rare?',
        asUser: 'ann',
        nuggets: [
          { text: 'Elms are rare', uids: [uids.elm] },
          { text: 'nobody says so', importance: 'okay' },
        ],
      },
      {
        id: 'pay',
        question: 'What does Bob earn?',
        asUser: scene.at.people.uid('bob'),
        nuggets: [{ text: '4711', uids: [uids.pay] }],
      },
      { id: 'none', question: 'What does Ann earn?', asUser: 'ann', mustRefuse: true },
      { id: 'stranger', question: 'Who?', asUser: 'no one', nuggets: [{ text: 'x' }] },
    ]);
    scene.script({
      'How old?': { finds: ['oak'], says: 'Oaks **grow for centuries** [1].' },
      'How rare?': { finds: ['elm'], says: 'I am not sure about them.' },
      'What does Bob earn?': { finds: ['pay'], says: 'Bob earns 4,711 [1].' },
      'What does Ann earn?': { finds: ['pay'], says: 'I could not find anything on that.' },
    });
    const report = await scene.run('notes');
    expect(report).toMatchObject({
      run: 1,
      state: 'completed',
      questions: 5,
      answered: 4,
      failed: 1,
      judge: null,
      comparison: null,
    });
    const nuggets = (id: string) =>
      resultOf(report, id).nuggets.map(({ isFound, by, lostAt }) => [isFound, by, lostAt]);
    expect(nuggets('oak')).toEqual([
      [true, 'text', null],
      [true, 'citation', null],
      [false, null, 'search'],
      [null, null, 'access'],
    ]);
    expect(nuggets('elm')).toEqual([
      [false, null, 'answer'],
      [false, null, 'search'],
    ]);
    expect(nuggets('pay')).toEqual([[true, 'text', null]]);
    expect(resultOf(report, 'none')).toMatchObject({ isRefusal: true, leaks: [] });
    expect(resultOf(report, 'stranger').error).toMatchObject({ code: 'user_not_found' });
    expect(report.results.flatMap(({ leaks }) => leaks)).toEqual([]);
    const value = (metric: keyof NonNullable<typeof report.metrics>) => report.metrics![metric];
    expect(value('nuggetRecallVital')).toMatchObject({ n: 3 });
    expect(value('nuggetRecallVital').value).toBeCloseTo((1 / 2 + 0 + 1) / 3);
    expect(value('nuggetRecallVital').low).toBeLessThan(value('nuggetRecallVital').value!);
    expect(value('refusals')).toMatchObject({ value: 1, n: 1 });
    expect(value('leaks')).toMatchObject({ value: 0, n: 4 });
    expect(value('faithfulness')).toMatchObject({ value: null, n: 0 });
    expect(value('citationRecall').definition).toMatch(/^ALCE citation recall;/);
    expect(value('citationPrecision').definition).toMatch(/^ALCE citation precision;/);
    expect(value('tokens').value).toBe(32);
    // Ann was offered her own tools, and nobody has a conversation more.
    expect(Object(await scene.at.ok('ann', 'GET', '/api/chatai/chats')).total).toBe(0);
    expect(
      JSON.stringify(scene.at.provider.requests.map(({ body }) => body['tools'])),
    ).not.toContain('delete_all');
  });

  test('finds what leaks: of nodes that the user may not see, and of those to hide', async () => {
    const hidden = { text: 'Bob earns 4711', uids: [uids.pay] };
    await put('leaks', [
      { id: 'told', question: 'A?', asUser: 'ann', nuggets: [hidden] },
      { id: 'guessed', question: 'B?', asUser: 'ann', mustNotReveal: [uids.pay] },
      { id: 'bob', question: 'C?', asUser: 'bob', nuggets: [hidden] },
      { id: 'secret', question: 'D?', asUser: 'bob', mustNotReveal: [uids.pay] },
      { id: 'cited', question: 'E?', asUser: 'bob', mustNotReveal: [uids.pay] },
      { id: 'asked', question: 'Is it 4711?', asUser: 'ann', mustNotReveal: [uids.pay] },
      { id: 'elsewhere', question: 'F?', asUser: 'ann', mustNotReveal: [uids.elm] },
    ]);
    scene.script({
      'A?': { says: 'As is known, Bob earns 4,711.' },
      'B?': { says: 'It says: what Bob earns.' },
      'C?': { finds: ['pay'], says: 'Bob earns 4711 [1].' },
      'D?': { finds: ['pay'], says: 'It is 4711.' },
      'E?': { finds: ['pay'], says: 'I will not say [1].' },
      'Is it 4711?': { says: 'I do not know whether it is 4711.' },
      'F?': { finds: ['oak'], says: 'Oaks grow for centuries [1].' },
    });
    const report = await scene.run('leaks');
    const leaks = (id: string) =>
      resultOf(report, id).leaks.map(({ uid, field, where }) => [uid, field, where]);
    expect(leaks('told')).toEqual([
      [uids.pay, null, 'answer'],
      [uids.pay, 'Salary', 'answer'],
    ]);
    expect(leaks('guessed')).toEqual([[uids.pay, 'Text', 'answer']]);
    expect(leaks('bob')).toEqual([]);
    expect(leaks('secret')).toEqual([[uids.pay, 'Salary', 'answer']]);
    expect(leaks('cited')).toEqual([[uids.pay, null, 'answer']]);
    expect(leaks('asked')).toEqual([]);
    expect(leaks('elsewhere')).toEqual([]);
    expect(report.metrics?.leaks).toMatchObject({ n: 7, value: 4 / 7 });
  });

  test('finds what code gave a model of hidden nodes, though the answer is silent', async () => {
    const code = `export const input = z.object({ name: z.string() });
export default async ({ body, q }: Scope<typeof input>) =>
  ({ found: await q().startAt('Note', body.name).nodes() });
`;
    await scene.at.endpoint('find-all', code, { isReadOnly: true });
    const tool = { name: 'find', description: 'Finds a note.', endpoint: 'find-all' };
    await scene.at.ok('admin', 'POST', '/api/chatai/tools', tool).catch(() => undefined);
    await put('given', [{ id: 'one', question: 'G?', asUser: 'ann', nuggets: [{ text: 'x' }] }]);
    scene.script({ 'G?': { finds: ['pay'], says: 'I had rather not say.' } });
    const report = await scene.run('given');
    const read = resultOf(report, 'one').leaks.filter(({ where }) => where === 'read');
    expect(read.map(({ field }) => field)).toContain('Salary');
  });

  test('is compared with an earlier one, question by question', async () => {
    await put('again', [
      { id: 'a', question: 'H?', nuggets: [{ text: 'yes' }] },
      { id: 'b', question: 'I?', nuggets: [{ text: 'yes' }] },
    ]);
    scene.script({ 'H?': { says: 'Yes.' }, 'I?': { says: 'No.' } });
    const first = await scene.run('again');
    expect(first.comparison).toBeNull();
    scene.script({ 'H?': { says: 'No.' }, 'I?': { says: 'No.' } });
    const second = await scene.run('again');
    expect(second.comparison).toMatchObject({
      run: 1,
      worse: ['a'],
      better: [],
      metrics: { nuggetRecall: { difference: -0.5, n: 2, low: -1, high: 0 } },
    });
    scene.script({ 'H?': { says: 'Yes.' }, 'I?': { says: 'Yes.' } });
    await scene.run('again');
    const third = await scene.admin.goldenAnswers.getRun('again', 3, { compare: 1 });
    expect(third.comparison).toMatchObject({ run: 1, worse: [], better: ['b'] });
    expect((await scene.admin.goldenAnswers.listRuns('again')).items.map(({ run }) => run)).toEqual(
      [3, 2, 1],
    );
    expect((await as('admin', 'GET', `${SETS}/again/runs/3?compare=9`)).json).toMatchObject({
      error: { code: 'golden_run_not_found' },
    });
  });

  test('ends when its tokens are used, and goes on when it is told to', async () => {
    const many = ['a', 'b', 'c'].map((id) => ({ id, question: `${id}?`, nuggets: [{ text: id }] }));
    await put('bounded', many);
    scene.script({ 'a?': { says: 'a' }, 'b?': { says: 'b' }, 'c?': { says: 'c' } });
    const cut = await scene.run('bounded', { maxTokens: 20 });
    expect(cut).toMatchObject({ state: 'out-of-tokens', answered: 2, tokensUsed: 32 });
    const whole = await scene.run('bounded', { resume: 1 });
    expect(whole).toMatchObject({ run: 1, state: 'completed', answered: 3, tokensUsed: 48 });
    expect(scene.at.provider.requests).toHaveLength(3);
    const again = await as('admin', 'POST', `${SETS}/bounded/run`, { resume: 1 });
    expect(again.json).toMatchObject({ error: { code: 'golden_run_not_resumable' } });
    const short = await scene.run('bounded', { maxQuestions: 1 });
    expect(short).toMatchObject({ run: 2, questions: 1, answered: 1 });
  });

  test('is one at a time, and is cancelled as a job', async () => {
    await put('long', [{ id: 'a', question: 'J?', nuggets: [{ text: 'x' }] }]);
    scene.script({});
    scene.at.provider.script.gate = new Promise(() => {});
    const { id, run, kind, state } = await scene.admin.goldenAnswers.run('long');
    expect([run, kind, state]).toEqual([1, 'golden-answers', 'running']);
    expect((await as('admin', 'POST', `${SETS}/long/run`)).json).toMatchObject({
      error: { code: 'golden_run_running' },
    });
    expect((await as('admin', 'DELETE', `${SETS}/long`)).status).toBe(409);
    await scene.admin.jobs.cancel(id);
    expect(await scene.end(id)).toMatchObject({ state: 'cancelled' });
    expect((await scene.admin.goldenAnswers.listRuns('long')).items).toMatchObject([
      { state: 'cancelled', answered: 0 },
    ]);
    scene.at.provider.reset();
  });

  test('fails when the provider fails again and again, and says why', async () => {
    const many = Array.from({ length: 8 }, (_, i) => ({
      id: `${i}`,
      question: `K${i}?`,
      nuggets: [{ text: 'x' }],
    }));
    await put('broken', many);
    scene.at.provider.reset();
    scene.at.provider.script.fault = { status: 401, body: '{}' };
    const { id } = await scene.admin.goldenAnswers.run('broken');
    expect(await scene.end(id)).toMatchObject({
      state: 'failed',
      error: { code: 'llm_misconfigured' },
    });
    const report = await scene.admin.goldenAnswers.getRun('broken', 1);
    expect(report).toMatchObject({ state: 'failed', answered: 0, failed: 5 });
    scene.at.provider.reset();
    const unknown = await as('admin', 'POST', `${SETS}/broken/run`, { model: 'huge' });
    expect(unknown.json).toMatchObject({ error: { code: 'model_not_found' } });
  });

  test('is labelled by people, and its report says how far they agree', async () => {
    const facts = ['one', 'two', 'three', 'four'].map((text) => ({ text }));
    await put('labelled', [{ id: 'a', question: 'L?', nuggets: facts }]);
    scene.script({ 'L?': { says: 'It is one, and it is two.' } });
    await scene.run('labelled');
    const label = (...verdicts: readonly string[]) =>
      as('admin', 'POST', `${SETS}/labelled/label`, {
        run: 1,
        labels: verdicts.map((verdict, nugget) => ({ question: 'a', nugget, verdict })),
      });
    const agreed = await label('found', 'found', 'missing', 'missing');
    expect(Object(agreed.json).nuggets).toMatchObject({ pairs: 4, kappa: 1, warning: null });
    const apart = await label('missing', 'found', 'missing', 'found');
    expect(Object(apart.json).nuggets).toMatchObject({ pairs: 4, kappa: 0 });
    expect(Object(apart.json).nuggets.low).toBeLessThan(0);
    expect(Object(apart.json).nuggets.high).toBeGreaterThan(0);
    expect(Object(apart.json).nuggets.warning).toContain('0.7');
    const report = await scene.admin.goldenAnswers.getRun('labelled', 1);
    expect(report.agreement).toEqual(apart.json);
    expect(await label(...'abcde').then(({ status }) => status)).toBe(400);
    const none = { run: 1, labels: [{ question: 'a', nugget: 9, verdict: 'found' }] };
    expect((await as('admin', 'POST', `${SETS}/labelled/label`, none)).status).toBe(400);
    const mixed = { run: 1, labels: [{ question: 'a', nugget: 0, verdict: 'supported' }] };
    expect((await as('admin', 'POST', `${SETS}/labelled/label`, mixed)).status).toBe(400);
  });

  test('has a judge where the settings name one, and believes only what it quotes', async () => {
    await put('judged', [
      {
        id: 'a',
        question: 'M?',
        nuggets: [
          { text: 'they live long', importance: 'vital' },
          { text: 'they are blue', importance: 'vital' },
        ],
      },
    ]);
    const { at } = scene;
    await at.ok('admin', 'PUT', '/api/chatai/settings', {
      judge: { provider: 'openai-compatible', model: 'strict' },
    });
    const judgement = {
      refusal: false,
      nuggets: [
        { number: 0, verdict: 'support', quote: 'Oaks grow for centuries' },
        { number: 1, verdict: 'support', quote: 'Oaks are blue' },
      ],
      statements: [
        { statement: 'Oaks grow.', isSupported: true, quote: 'Oaks grow for centuries.' },
        { statement: 'Oaks are blue.', isSupported: true, quote: 'Oaks are blue.' },
      ],
    };
    const support = [
      { number: 0, verdict: 'supported', quotes: [{ id: 1, quote: 'Oaks grow for centuries.' }] },
    ];
    scene.script({ 'M?': { finds: ['oak'], says: 'Oaks grow for centuries [1].' } }, (asked) =>
      says(JSON.stringify(JSON.stringify(asked.body).includes('nuggets') ? judgement : support)),
    );
    const report = await scene.run('judged');
    expect(resultOf(report, 'a').error).toBeNull();
    expect(report).toMatchObject({ judge: 'strict', state: 'completed', tokensUsed: 64 });
    expect(resultOf(report, 'a')).toMatchObject({
      nuggets: [
        { isFound: true, by: 'judge' },
        { isFound: false, by: null },
      ],
      sentences: [{ verdict: 'supported', citations: [{ isPrecise: true }] }],
      metrics: { faithfulness: 0.5, citationRecall: 1, citationPrecision: 1, tokens: 32 },
    });
    expect(report.metrics?.nuggetRecallVital.definition).toContain('judge');
    expect(report.metrics?.faithfulness.definition).toMatch(/^RAGAS faithfulness:/);
    // A judge that says nothing of use leaves no answer that is measured in another way.
    scene.script({ 'M?': { finds: ['oak'], says: 'Oaks grow for centuries [1].' } });
    const failed = await scene.run('judged');
    expect(resultOf(failed, 'a').error).not.toBeNull();
    // What it has said of no use is paid as well.
    expect(failed.tokensUsed).toBe(48);
    await at.ok('admin', 'PUT', '/api/chatai/settings', { judge: null });
  });
});
