/** The same logic three times: here for the bare route, as text for the endpoint. */
export interface Greeting {
  readonly name: string;
}

export interface Keys {
  readonly keys: readonly string[];
}

export const READS_IN_A_ROW = 50;

export function greeting(body: Greeting): { readonly hello: string; readonly length: number } {
  return { hello: body.name, length: body.name.length };
}

export const GREETING_ENDPOINT = `
export default async function ({ body }: Scope<{ name: string }>) {
  return { hello: body.name, length: body.name.length };
}
`;

export const READS_ENDPOINT = `
export default async function ({ body, graph }: Scope<{ keys: string[] }>) {
  let characters = 0;
  for (let i = 0; i < ${READS_IN_A_ROW}; i++) {
    const node = await graph.tryGet('Synset', body.keys[i % body.keys.length] ?? '');
    characters += (node?.Definition ?? '').length;
  }
  return { characters };
}
`;
