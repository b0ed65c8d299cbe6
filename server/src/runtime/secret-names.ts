import { didYouMean } from '#graph/names.ts';
import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { positionAt } from './compile/diagnostics.ts';
import type { DeclaredEndpoints } from './compile/endpoint-compiler.ts';

/** A secret as those who write code know it. */
export interface NamedForCode {
  readonly name: string;
  /** Names of the endpoints whose code may use it; null for that of all. */
  readonly endpoints: readonly string[] | null;
}

/** Offers the names of secrets to an editor. Code is never checked against them. */
export class DeclaredWithSecrets implements DeclaredEndpoints {
  readonly #endpoints: DeclaredEndpoints;
  readonly #names: () => readonly NamedForCode[];

  constructor(endpoints: DeclaredEndpoints, names: () => readonly NamedForCode[]) {
    this.#endpoints = endpoints;
    this.#names = names;
  }

  async declaredFor(...asked: Parameters<DeclaredEndpoints['declaredFor']>): Promise<string> {
    const [code, , { isDraft = false }] = asked;
    const declared = await this.#endpoints.declaredFor(...asked);
    if (!isDraft || !code.includes('secret')) return declared;
    const members = this.#names().map(({ name }) => `  ${name}: unknown;\n`);
    return `${declared}interface Secrets {\n${members.join('')}}\n`;
  }
}

/** `secret('NAME'` as code writes it, in a comment too: what is said of it is a remark only. */
const NAMED = /\bsecret\(\s*(["'`])([^"'`\n]*)\1/g;

/** Remarks on the secrets that code names: those that there are not, and those not for it. */
export function secretNotices(
  code: string,
  endpoint: string | undefined,
  secrets: () => readonly NamedForCode[],
): Diagnostic[] {
  const named = [...code.matchAll(NAMED)];
  if (named.length === 0) return [];
  const known = secrets();
  return named.flatMap(({ index, 2: name = '' }) => {
    const message = faultOf(name, endpoint, known);
    return message === undefined ? [] : [{ ...positionAt(code, index), code: 0, message }];
  });
}

function faultOf(
  name: string,
  endpoint: string | undefined,
  known: readonly NamedForCode[],
): string | undefined {
  const secret = known.find((one) => one.name === name);
  if (secret === undefined) {
    const { hint } = didYouMean(
      name,
      known.map((one) => one.name),
    );
    return `There is no secret "${name}".${hint === undefined ? '' : ` ${hint}`}`;
  }
  const { endpoints } = secret;
  if (endpoint === undefined || endpoints === null || endpoints.includes(endpoint))
    return undefined;
  return `The secret "${name}" is not for the code of "${endpoint}".`;
}
