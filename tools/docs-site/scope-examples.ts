import type { Scope } from '../../endpoint/src/scope.ts';
import type { ExamplesOf } from './example.ts';

export const SCOPE_EXAMPLES: ExamplesOf<Scope> = {
  body: {
    code: 'export default ({ body }: Scope<{ word: string }>) => `You ask for ${body.word}.`;',
    body: { word: 'dog' },
    answer: 'You ask for dog.',
  },
  headers: {
    code: `export default ({ headers }: Scope) => headers['content-type'];`,
    answer: 'application/json',
  },
  CurrentUser: {
    code: `export default ({ CurrentUser }: Scope) => CurrentUser?.UserName ?? 'nobody';`,
    answer: 'admin',
  },
  graph: {
    code: `export default async ({ graph }: Scope) => {
  await graph.addOrUpdate('Task', 'paint', { Title: 'Paint the door', Cost: 30 });
  return (await graph.get('Task', 'paint')).Cost;
};`,
    answer: 30,
  },
  q: {
    code: `export default ({ q }: Scope) => q().startAt('Word', 'dog').out('Synset', 'HasSense').count();`,
    answer: 1,
  },
  search: {
    code: `export default async ({ search }: Scope) => (await search('dog')).hits.length > 0;`,
    answer: true,
  },
  searchAsUser: {
    code: `export default async ({ searchAsUser }: Scope) => {
  const { hits } = await searchAsUser({ query: 'dog', types: ['Word'], take: 1 });
  return hits.map(({ node }) => node.Id);
};`,
    answer: ['dog'],
  },
  suggestAsUser: {
    code: `export default async ({ suggestAsUser }: Scope) =>
  (await suggestAsUser({ query: 'do' })).some(({ word }) => word === 'dog');`,
    answer: true,
  },
  run: {
    code: `export default async ({ run }: Scope) => run('system/search', { query: 'dog', take: 1 });`,
  },
  runOnPrimary: {
    code: `export default async ({ runOnPrimary }: Scope) =>
  runOnPrimary('system/search', { query: 'dog', take: 1 });`,
  },
  fetch: {
    code: `export default async ({ fetch }: Scope) => {
  const answer = await fetch('https://api.example.com/words/dog');
  return answer.ok ? answer.json() : null;
};`,
    answer: { word: 'dog' },
  },
  secret: {
    code: `export default async ({ fetch, secret }: Scope) => {
  const headers = { authorization: secret('CRM_KEY', 'Bearer {}') };
  const answer = await fetch('https://crm.example.com/customers/7', { headers });
  return answer.ok ? answer.json() : null;
};`,
  },
  ai: {
    code: `export default async ({ ai }: Scope) => (await ai.complete('What is a dog?')).text;`,
    answer: 'A dog is a word.',
  },
  progress: {
    code: `export default async ({ q, progress }: Scope) => {
  const words = await q().startAt('Word').nodes();
  for (const [i] of words.entries()) progress((i + 1) / words.length, \`Word \${i + 1}\`);
  return words.length;
};`,
    answer: 1,
  },
  log: {
    code: `export default ({ log, body }: Scope) => log.info('asked', { body });`,
    body: { word: 'dog' },
  },
  signal: {
    code: `export default async ({ q, signal }: Scope) => {
  let count = 0;
  for await (const _word of q().startAt('Word')) {
    signal.throwIfAborted();
    count += 1;
  }
  return count;
};`,
    answer: 1,
  },
  ok: { code: `export default ({ ok }: Scope) => ok({ words: 1 });`, answer: { words: 1 } },
  status: {
    code: `export default ({ status }: Scope) => status(201, { created: 'dog' });`,
    answer: { created: 'dog' },
  },
  badRequest: {
    code: `export default ({ body, badRequest }: Scope<{ take: number }>) =>
  body.take > 100 ? badRequest('Take 100 at most.') : body.take;`,
    body: { take: 10 },
    answer: 10,
  },
  unauthorized: {
    code: `export default ({ CurrentUser, unauthorized }: Scope) =>
  CurrentUser === null ? unauthorized('Sign in first.') : CurrentUser.UserName;`,
    answer: 'admin',
  },
  forbidden: {
    code: `export default ({ CurrentUser, forbidden }: Scope) =>
  CurrentUser?.UserName === 'admin' ? 'welcome' : forbidden('Only for the administrator.');`,
    answer: 'welcome',
  },
  notFound: {
    code: `export default async ({ body, graph, notFound }: Scope<{ word: string }>) => {
  const word = await graph.tryGet('Word', body.word);
  return word === null ? notFound(\`There is no word "\${body.word}".\`) : word.Id;
};`,
    body: { word: 'dog' },
    answer: 'dog',
  },
  passOn: {
    code: `export default async ({ graph, passOn }: Scope) => {
  try {
    return (await graph.get('Word', 'dog')).Id;
  } catch (error) {
    return passOn(error);
  }
};`,
    answer: 'dog',
  },
  redirect: {
    code: `export default ({ redirect }: Scope) => redirect('https://example.com/dog');`,
  },
};
