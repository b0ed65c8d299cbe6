import { expect, it } from 'vitest';
import { TOOLS_PER_REQUEST_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { type ChoosableTool, chosenTools } from './tool-choice.ts';
import { ToolVectors } from './tool-vectors.ts';

function tool(name: string, description = '', isWritten = false): ChoosableTool {
  return { name, description, endpoint: name.replaceAll('__', '/'), isWritten };
}

/** Tools that fit nothing. */
const others = (count: number) =>
  Array.from({ length: count }, (_, at) => tool(`other${at}`, 'Does something else.'));
const names = (tools: readonly ChoosableTool[]) => tools.map(({ name }) => name);

it.each([0, TOOLS_PER_REQUEST_MAX])('all of %i tools are offered', (count) => {
  expect(chosenTools(others(count), 'anything')).toEqual(others(count));
});

it('of more, those are offered that fit the question, in their order', () => {
  const tools = [
    ...others(30),
    tool('invoices', 'Finds the invoices of a customer.'),
    tool('system__search', 'Searches.'),
    tool('weather', 'Tells the weather.'),
  ];
  const chosen = chosenTools(tools, 'Which invoice is not paid?');
  expect(chosen).toHaveLength(TOOLS_PER_REQUEST_MAX);
  expect(names(chosen).slice(-2)).toEqual(['invoices', 'system__search']);
  expect(names(chosenTools(tools, 'Wie ist das WEATHER?'))).toContain('weather');
});

it('those that somebody wrote for models go before those that fit as well', () => {
  const tools = [...others(30), tool('written', 'Does something else.', true)];
  expect(names(chosenTools(tools, ''))).toContain('written');
  expect(names(chosenTools(tools, '漢字 \ud800 *'))).toContain('written');
});

it('those that are close by their meaning are offered, where a provider tells', async () => {
  const vectorOf = (text: string): number[] => (/salary|earn/i.test(text) ? [1, 0] : [0, 1]);
  const asked: string[] = [];
  const vectors = new ToolVectors({
    model: () => 'small',
    vectors: {
      of: async (text) => {
        asked.push(text);
        return new Float32Array(vectorOf(text));
      },
    },
  });
  const tools = [...others(30), tool('pay', 'What people earn.')];
  const question = 'Who has the largest salary?';
  const { signal } = new AbortController();
  expect(names(chosenTools(tools, question))).not.toContain('pay');
  const closeness = await vectors.closeness(tools, question, signal);
  expect(names(chosenTools(tools, question, closeness))).toContain('pay');
  expect(asked).toContain('What people earn.');
});

it('a provider of embeddings that fails, or is not there, changes nothing', async () => {
  const of = () => Promise.reject(new Problem('embeddings_unavailable', 'Not now.'));
  const { signal } = new AbortController();
  for (const model of ['small', undefined]) {
    const vectors = new ToolVectors({ model: () => model, vectors: { of } });
    const closeness = await vectors.closeness(others(30), 'anything', signal);
    expect(closeness(others(1)[0]!)).toBeUndefined();
  }
  const vectors = new ToolVectors({ model: () => 'small', vectors: { of } });
  const stopped = AbortSignal.abort(new Error('nobody waits'));
  await expect(vectors.closeness(others(30), 'anything', stopped)).rejects.toThrow('nobody waits');
});
