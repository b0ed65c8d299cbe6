import type { Ai } from '../../endpoint/src/ai.ts';
import type { FetchAnswer, FetchOptions, Log } from '../../endpoint/src/scope.ts';
import type { Example, ExamplesOf } from './example.ts';

export const AI_EXAMPLES: ExamplesOf<Ai> = {
  complete: {
    code: `export default async ({ ai }: Scope) => {
  const { text } = await ai.complete({ prompt: 'What is a dog?', maxTokens: 100 });
  return text;
};`,
    answer: 'A dog is a word.',
  },
  embed: {
    code: `export default async ({ ai }: Scope) => (await ai.embed(['dog', 'cat'])).length;`,
    answer: 2,
  },
  runAgent: {
    code: `export default async ({ ai }: Scope) => {
  const { status, result, error } = await ai.runAgent('librarian', 'What is a dog?');
  return status === 'Completed' ? result : error;
};`,
    answer: 'A dog is a word.',
  },
};

function logged(level: keyof Log): Example {
  return {
    code: `export default ({ body, log }: Scope<{ word: string }>) => log.${level}('asked', { word: body.word });`,
    body: { word: 'dog' },
  };
}

export const LOG_EXAMPLES: ExamplesOf<Log> = {
  debug: logged('debug'),
  info: logged('info'),
  warn: logged('warn'),
  error: logged('error'),
};

const WORDS = 'https://api.example.com/words';

export const FETCH_OPTIONS_EXAMPLES: ExamplesOf<FetchOptions> = {
  method: {
    code: `export default async ({ fetch }: Scope) =>
  (await fetch('${WORDS}/dog', { method: 'DELETE' })).ok;`,
    answer: true,
  },
  headers: {
    code: `export default async ({ fetch }: Scope) =>
  (await fetch('${WORDS}/dog', { headers: { accept: 'application/json' } })).json();`,
    answer: { word: 'dog' },
  },
  body: {
    code: `export default async ({ fetch }: Scope) => {
  const body = JSON.stringify({ word: 'dog' });
  const headers = { 'content-type': 'application/json' };
  return (await fetch('${WORDS}', { method: 'POST', headers, body })).status;
};`,
    answer: 200,
  },
};

/** An endpoint that answers one property of an answer. */
function answered(property: string, answer?: unknown): Example {
  const code = `export default async ({ fetch }: Scope) => {
  const answer = await fetch('${WORDS}/dog');
  return answer.${property};
};`;
  return answer === undefined ? { code } : { code, answer };
}

export const FETCH_ANSWER_EXAMPLES: ExamplesOf<FetchAnswer> = {
  ok: answered('ok', true),
  status: answered('status', 200),
  statusText: answered('statusText', 'OK'),
  url: answered('url'),
  headers: answered(`headers.get('content-type')`, 'application/json'),
  text: answered('text()', '{"word":"dog"}'),
  json: answered('json()', { word: 'dog' }),
};
