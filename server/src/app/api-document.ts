import { budgetKey, type Caller } from '#access/caller.ts';
import { API_DOCUMENT_BATCH, API_DOCUMENT_STEPS } from '#base/limits.ts';
import { turns } from '#base/turns.ts';
import type { ApiDocumentService } from '#http/services.ts';
import { pathCovers } from '#identity/token-claims.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import {
  ENDPOINTS_TAG,
  makeDocument,
  type OpenApiDocument,
} from '@trellis/contract/openapi/document.ts';
import { endpointPath, type CalledWith } from '@trellis/contract/openapi/endpoint-path.ts';

type DescribedEndpoints = Pick<EndpointService, 'callable' | 'bodySchema' | 'types'>;

/** Members of an object as JSON text, with "," between and without braces. */
type Members = string;

interface EndpointText {
  readonly paths: Members;
  readonly schemas: Members;
}

/** The part that is the same for every caller. */
interface Base {
  readonly document: OpenApiDocument;
  readonly paths: Members;
  readonly schemas: Members;
  /** The members of the document but its paths, and of its components but the schemas. */
  readonly head: Members;
  readonly components: Members;
}

/**
 * The OpenAPI document. What the contract says is made once, when it is first asked for; what an
 * endpoint says, once for each of its versions. Both are kept as text, and both are made in small
 * pieces, so that other requests are answered in between.
 */
export class ApiDocument implements ApiDocumentService {
  readonly #endpoints: DescribedEndpoints;
  readonly #version: string;
  #base: Promise<Base> | undefined;
  /** Keyed by the definition: each version is another object. */
  readonly #texts = {
    session: new WeakMap<EndpointDefinition, EndpointText>(),
    'endpoint-token': new WeakMap<EndpointDefinition, EndpointText>(),
  };

  constructor(endpoints: DescribedEndpoints, version: string) {
    this.#endpoints = endpoints;
    this.#version = version;
  }

  async text(caller: Caller): Promise<string> {
    this.#base ??= makeBase(this.#version);
    const base = await this.#base;
    const by: CalledWith = caller.kind === 'endpoint' ? 'endpoint-token' : 'session';
    const texts: EndpointText[] = [];
    const endpoints = this.#visible(caller);
    for (let at = 0; at < endpoints.length; at += API_DOCUMENT_BATCH) {
      const batch = endpoints.slice(at, at + API_DOCUMENT_BATCH);
      texts.push(...(await Promise.all(batch.map((one) => this.#textOf(one, by, base)))));
      await turns.goOn(budgetKey(caller));
    }
    const schemas = joined([base.schemas, ...texts.map((text) => text.schemas)]);
    const paths = joined([base.paths, ...texts.map((text) => text.paths)]);
    return `{${base.head},"paths":{${paths}},"components":{${base.components},"schemas":{${schemas}}}}`;
  }

  #visible(caller: Caller): readonly EndpointDefinition[] {
    const { kind, scopes, endpointPath: path } = caller;
    if (kind === 'endpoint') {
      const covers = (name: string): boolean => path !== null && pathCovers(path, name);
      return this.#endpoints.callable(caller).filter(({ name }) => covers(name));
    }
    if (kind !== 'session' && !scopes.includes('endpoints:run')) return [];
    return this.#endpoints.callable(caller);
  }

  async #textOf(
    definition: EndpointDefinition,
    by: CalledWith,
    { document }: Base,
  ): Promise<EndpointText> {
    const known = this.#texts[by].get(definition);
    if (known !== undefined) return known;
    const { name, description, isReadOnly, mode } = definition;
    const input = await this.#endpoints.bodySchema(name);
    const types = this.#endpoints.types(name);
    const described = {
      name,
      description,
      isReadOnly,
      mode,
      input: input ?? {},
      isInputOptional: (types?.input ?? null) !== null && types?.isBodyOptional === true,
      output: types?.output ?? {},
    };
    const { path, item, schemas } = endpointPath(document, described, by);
    const text = { paths: membersOf({ [path]: item }), schemas: membersOf(schemas) };
    // When the workers were busy, the next document may say more.
    if (input !== null) this.#texts[by].set(definition, text);
    return text;
  }
}

async function makeBase(version: string): Promise<Base> {
  const steps = makeDocument(version);
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return baseOf(step.value);
    if (count % API_DOCUMENT_STEPS === 0) await turns.goOn('');
  }
}

function baseOf(document: OpenApiDocument): Base {
  const { paths, components, tags, ...head } = document;
  const { schemas = {}, ...others } = components;
  const endpoints = { name: ENDPOINTS_TAG, description: 'The endpoints of this workspace.' };
  return {
    document,
    paths: membersOf(paths),
    schemas: membersOf(schemas),
    head: membersOf({ ...head, tags: [endpoints, ...tags] }),
    components: membersOf(others),
  };
}

function membersOf(object: object): Members {
  return JSON.stringify(object).slice(1, -1);
}

function joined(parts: readonly Members[]): Members {
  return parts.filter((part) => part !== '').join(',');
}
