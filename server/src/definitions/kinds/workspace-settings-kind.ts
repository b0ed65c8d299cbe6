import type { Caller } from '#access/caller.ts';
import type { Definition, DefinitionKind, Importer } from '../definition-kind.ts';

/**
 * Those that a workspace takes along: where its replicas are, and which interface it serves, is of
 * the one server.
 */
interface OwnSettings {
  readonly name: string;
  readonly teamsEnabled: boolean;
  readonly fetchAllowList: readonly string[];
}

type Change = { readonly [K in keyof OwnSettings]?: OwnSettings[K] | undefined };

/** As much of the settings of the workspace as it takes. */
export interface WorkspaceSettings {
  get(caller: Caller): OwnSettings;
  /** Whether somebody has ever changed them. */
  isSet(): boolean;
  put(caller: Caller, change: Change, address: string): Promise<unknown>;
}

export class WorkspaceSettingsKind implements DefinitionKind {
  readonly kind = 'workspace-settings';
  readonly layout = { file: 'workspace-settings.json' };
  readonly #settings: WorkspaceSettings;
  readonly #parse: (settings: Definition) => Change;

  /** `parse` throws `invalid_request` for what a request would be refused for. */
  constructor(settings: WorkspaceSettings, parse: (settings: Definition) => Change) {
    this.#settings = settings;
    this.#parse = parse;
  }

  names(): string[] {
    return this.#settings.isSet() ? [this.kind] : [];
  }

  read(caller: Caller): Definition | undefined {
    return this.#settings.isSet() ? tidy(this.#settings.get(caller)) : undefined;
  }

  /** What is left out stays as it is. */
  parse(given: Definition, _name: string, caller: Caller): Definition {
    const change = Object.entries(this.#parse(given)).filter(([, value]) => value !== undefined);
    return tidy({ ...this.#settings.get(caller), ...Object.fromEntries(change) });
  }

  async write(
    { caller, address }: Importer,
    _name: string,
    { after }: { readonly after: Definition },
  ): Promise<[]> {
    await this.#settings.put(caller, this.#parse(after), address);
    return [];
  }
}

function tidy({ name, teamsEnabled, fetchAllowList }: OwnSettings): Definition {
  return { name, teamsEnabled, fetchAllowList };
}
