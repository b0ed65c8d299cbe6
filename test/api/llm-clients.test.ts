import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LLM_CLIENTS } from '../support/llm-clients.ts';
import { calls, inTurn, type LlmServerRequest, says } from '../support/llm-server.ts';
import { LlmWorkspace, MODEL, type ProviderKind } from '../support/llm-workspace.ts';

let at: LlmWorkspace;
beforeAll(async () => {
  at = await LlmWorkspace.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const PROVIDERS: readonly ProviderKind[] = ['openai-compatible', 'anthropic'];
const TEXT = 'Cold in Örebro, with “snow” ❄️.';
const FORECAST = { place: 'Örebro', degrees: -12.5 };

describe.each(PROVIDERS)('with a provider that speaks %s', (provider) => {
  beforeAll(() => at.use(provider));
  beforeEach(() => at.provider.reset());

  describe.each(LLM_CLIENTS)('%s, unchanged', (_name, protocol, make) => {
    const client = () => {
      const apiKey = at.people.token(protocol === 'anthropic' ? 'llm-anthropic' : 'llm-openai');
      return make({ url: at.address, apiKey, model: MODEL });
    };

    test('gets an answer', async () => {
      at.provider.script.turn = inTurn(says(TEXT));
      expect(await client().answer('How is it?')).toBe(TEXT);
      expect(at.provider.requests).toHaveLength(1);
      expect(JSON.stringify(at.provider.last.body)).toContain('How is it?');
    });

    test('gets a stream', async () => {
      at.provider.script.turn = inTurn(says(TEXT));
      const pieces = await client().pieces('How is it?');
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('')).toBe(TEXT);
    });

    test('runs tools until the model has its answer', async () => {
      const places = ['Örebro', 'Oslo', 'Bergen'];
      const [first, second, third] = places.map((place, index) => ({
        id: `call_${index}`,
        name: 'weather',
        input: { place },
      }));
      at.provider.script.turn = inTurn(
        says('Let me see.', { tools: [first!, second!] }),
        says('', { tools: [third!] }),
        says(TEXT),
      );
      const asked: string[] = [];
      const said = await client().withTool('How is it?', ({ place }) => {
        asked.push(place);
        return `It rains in ${place}.`;
      });
      expect(said).toBe(TEXT);
      expect(asked).toEqual(places);
      expect(at.provider.requests).toHaveLength(3);
      const [question, , last] = at.provider.requests;
      expect(toolOf(question)).toMatchObject({
        name: 'weather',
        schema: { type: 'object', properties: { place: { type: 'string' } } },
      });
      const told = JSON.stringify(last?.body['messages']);
      expect(told).toContain('How is it?');
      for (const place of places) expect(told).toContain(`It rains in ${place}.`);
    });

    test('gets an object of a schema', async () => {
      at.provider.script.turn = objectOf;
      expect(await client().forecast('How is it?')).toEqual(FORECAST);
      expect(JSON.stringify(at.provider.last.body)).toContain('"degrees"');
    });
  });
});

/** As models do it: by the schema of the answer, or by the tool that the client names. */
function objectOf(request: LlmServerRequest) {
  const name = toolOf(request)?.name;
  return name === undefined ? says(JSON.stringify(FORECAST)) : calls([name, FORECAST]);
}

function toolOf(request: LlmServerRequest | undefined) {
  const tools = (request?.body['tools'] ?? []) as readonly {
    readonly name?: string;
    readonly input_schema?: object;
    readonly function?: { readonly name: string; readonly parameters: object };
  }[];
  const [tool] = tools;
  const name = tool?.function?.name ?? tool?.name;
  if (name === undefined) return undefined;
  return { name, schema: tool?.function?.parameters ?? tool?.input_schema };
}
