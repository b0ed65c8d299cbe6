import type { EndpointChange } from '@trellis/contract/shapes/endpoint.ts';
import type { Caller } from '#access/caller.ts';
import {
  checkName,
  DEFAULT_SETTINGS,
  isBuiltIn,
  refuseBuiltIn,
  settingsOf,
  withChanges,
  type EndpointSettings,
} from '#runtime/endpoint-definition.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type {
  Definition,
  DefinitionDiagnostic,
  DefinitionKind,
  Importer,
} from '../definition-kind.ts';

type Endpoints = Pick<EndpointService, 'standing' | 'get' | 'list' | 'create' | 'put' | 'delete'>;

/** Whoever writes a file has to say that an endpoint is for users. */
const USUAL: EndpointSettings = { ...DEFAULT_SETTINGS, access: 'admins', code: '' };

/**
 * Code that does not compile is kept as a draft; that of a read-only endpoint is refused with
 * `not_read_only`.
 */
export class EndpointKind implements DefinitionKind {
  readonly kind = 'endpoint';
  readonly layout = {
    folder: 'endpoints',
    text: { member: 'code', ending: '.ts', endsLine: false },
  };
  readonly #endpoints: Endpoints;
  readonly #parse: (definition: Definition) => EndpointChange;

  /** `parse` throws `invalid_request` for what a request would be refused for. */
  constructor(endpoints: Endpoints, parse: (definition: Definition) => EndpointChange) {
    this.#endpoints = endpoints;
    this.#parse = parse;
  }

  names(caller: Caller): string[] {
    const { items } = this.#endpoints.list(caller, { skip: 0, take: Infinity });
    return items.map(({ name }) => name).filter((name) => !isBuiltIn(name));
  }

  read(caller: Caller, name: string): Definition | undefined {
    if (this.#endpoints.standing(name) === undefined) return undefined;
    return tidy(this.#endpoints.get(caller, name));
  }

  parse(given: Definition, name: string): Definition {
    refuseBuiltIn(name);
    checkName(name);
    return tidy(withChanges(USUAL, this.#parse(given)));
  }

  async write(
    { caller }: Importer,
    name: string,
    { before, after }: { readonly before: Definition | undefined; readonly after: Definition },
  ): Promise<readonly DefinitionDiagnostic[]> {
    const { code = '', ...change } = this.#parse(after);
    const written =
      before === undefined
        ? await this.#endpoints.create(caller, { ...change, name, code })
        : await this.#endpoints.put(caller, name, { ...change, code });
    return written.diagnostics;
  }

  async delete({ caller }: Importer, name: string): Promise<void> {
    await this.#endpoints.delete(caller, name);
  }
}

function tidy(endpoint: EndpointSettings): Definition {
  return { ...settingsOf(endpoint), code: endpoint.code };
}
