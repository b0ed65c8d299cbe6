import type { JsonSchema } from '@trellis/contract/openapi/shape-schemas.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { API_DOCUMENT_BATCH } from '#base/limits.ts';
import { turns } from '#base/turns.ts';
import type { DeclaredEndpoints } from './compile/endpoint-compiler.ts';
import {
  declarationOf,
  type EndpointDeclaration,
  type EndpointShape,
} from './compile/endpoint-interface.ts';
import { nodeInterfaceNames } from './compile/scope-types.ts';
import { isBuiltIn } from './endpoint-definition.ts';
import type { EndpointStore, StoredEndpoint } from './endpoint-store.ts';

export interface CallableEndpointsParts {
  readonly store: EndpointStore;
  /** See `EndpointInputs`. */
  readonly inputs: { bodySchemaOf(endpoint: StoredEndpoint): Promise<JsonSchema | null> };
}

/** A text that may be the name of an endpoint. */
const NAME_LITERAL = /(["'`])([A-Za-z0-9][\w./-]*)\1/g;

/**
 * What endpoints take and answer, as types for those who call them: code in its scope, by `run()`,
 * and programs outside. It is what is known of the version that serves.
 */
export class CallableEndpoints implements DeclaredEndpoints {
  readonly #parts: CallableEndpointsParts;
  /** Each version of an endpoint is another object. */
  readonly #shapes = new WeakMap<StoredEndpoint, EndpointShape>();
  /** Asked in the background, whatever came of it: code that hangs is asked once. */
  readonly #askedAhead = new WeakSet<StoredEndpoint>();
  #asking: Promise<void> | undefined;
  #isAskingAgain = false;
  #isClosed = false;

  constructor(parts: CallableEndpointsParts) {
    this.#parts = parts;
  }

  /**
   * Begins to ask, in the background, what versions take that were not asked yet. One at a time, so
   * that it takes one worker from the calls of others, for some milliseconds at a time. Whoever
   * wants the types of all endpoints then waits for the newest ones only.
   */
  askAhead(): void {
    this.#isAskingAgain = true;
    if (!this.#isClosed) this.#asking ??= this.#askAll();
  }

  /** Resolves when nothing is being asked in the background. */
  async settled(): Promise<void> {
    await this.#asking;
  }

  /** The workers may end after that: what is being asked then fails, and nobody hears of it. */
  close(): void {
    this.#isClosed = true;
  }

  /** Changes when what is said of those that code names may have become another. */
  versionsFor(code: string, self?: string): string {
    return this.#namedIn(code, self)
      .map(({ definition: { UID: uid }, servingVersion }) => `${uid}.${servingVersion}`)
      .join();
  }

  all(): readonly StoredEndpoint[] {
    return this.#parts.store.all().filter(({ servingCode }) => servingCode !== undefined);
  }

  async declaredFor(
    code: string,
    schema: SchemaDocument,
    { self, isDraft = false }: { readonly self?: string | undefined; readonly isDraft?: boolean },
  ): Promise<string> {
    const named = this.#namedIn(code, self);
    const declared = named.length === 0 ? '' : await this.interfaceOf(named, schema);
    return isDraft
      ? declared + namesOnly(this.all().filter((one) => !named.includes(one)))
      : declared;
  }

  /** The interface `Endpoints` of these; without any it has no members. */
  async interfaceOf(endpoints: readonly StoredEndpoint[], schema: SchemaDocument): Promise<string> {
    const nodeInterfaces = nodeInterfaceNames(schema);
    const declarations: EndpointDeclaration[] = [];
    for (let at = 0; at < endpoints.length; at += API_DOCUMENT_BATCH) {
      const batch = endpoints.slice(at, at + API_DOCUMENT_BATCH);
      const shapes = await Promise.all(batch.map((endpoint) => this.#shapeOf(endpoint)));
      for (const shape of shapes) declarations.push(declarationOf(shape, nodeInterfaces));
      await turns.goOn('');
    }
    const members = declarations.map(({ member }) => member);
    const aliases = declarations.flatMap((declaration) => declaration.aliases);
    return `interface Endpoints {\n${members.join('')}}\n${aliases.join('')}`;
  }

  /**
   * Those that code names, but for the one that it is itself: what it says to itself is as new as
   * it.
   */
  #namedIn(code: string, self: string | undefined): readonly StoredEndpoint[] {
    if (!code.includes('run')) return [];
    const names = new Set([...code.matchAll(NAME_LITERAL)].map(([, , name = '']) => name));
    const found = [...names]
      .filter((name) => name !== self)
      .toSorted()
      .map((name) => this.#parts.store.find(name));
    return found.filter((endpoint) => endpoint?.servingCode !== undefined) as StoredEndpoint[];
  }

  async #askAll(): Promise<void> {
    while (this.#isAskingAgain && !this.#isClosed) {
      this.#isAskingAgain = false;
      // Before anything else: there may be no endpoint, and this must not end before it is noted.
      await turns.goOn('');
      for (const endpoint of this.all()) {
        if (this.#isClosed) break;
        await this.#askOnceAhead(endpoint);
      }
    }
    this.#asking = undefined;
  }

  async #askOnceAhead(endpoint: StoredEndpoint): Promise<void> {
    const { name } = endpoint.definition;
    if (this.#askedAhead.has(endpoint) || isBuiltIn(name)) return;
    this.#askedAhead.add(endpoint);
    // It may have been changed or deleted since the list was made.
    if (this.#parts.store.find(name) !== endpoint) return;
    // Whoever asks for it later is told what went wrong.
    await this.#shapeOf(endpoint).catch(() => undefined);
    await turns.goOn('');
  }

  async #shapeOf(endpoint: StoredEndpoint): Promise<EndpointShape> {
    const known = this.#shapes.get(endpoint);
    if (known !== undefined) return known;
    const { definition, servingTypes } = endpoint;
    const { name, description } = definition;
    const input = await this.#parts.inputs.bodySchemaOf(endpoint);
    const isTyped = (servingTypes?.input ?? null) !== null;
    const isSaid = input !== null && Object.keys(input).length > 0;
    const shape: EndpointShape = {
      name,
      description,
      input: isSaid ? input : null,
      isInputOptional: !isSaid || (isTyped && servingTypes?.isBodyOptional === true),
      output: servingTypes?.output ?? null,
    };
    // When the workers were busy, the next time more is known.
    if (input !== null) this.#shapes.set(endpoint, shape);
    return shape;
  }
}

/** For an editor, which completes names: most types would not be read. */
function namesOnly(endpoints: readonly StoredEndpoint[]): string {
  const members = endpoints.map(
    ({ definition: { name } }) =>
      `  ${JSON.stringify(name)}: { input: unknown; output: unknown };\n`,
  );
  return `interface Endpoints {\n${members.join('')}}\n`;
}
