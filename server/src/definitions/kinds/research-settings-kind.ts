import type { ResearchSettingsChange } from '@trellis/contract/shapes/deep-research.ts';
import type { StagedResearchSettings } from '#assistant/research/deep-research.ts';
import {
  RESEARCH_DEFAULTS,
  type OwnResearchSettings,
} from '#assistant/research/research-settings.ts';
import type { Definition, DefinitionKind, ImportMode, Importer } from '../definition-kind.ts';

type Limits = NonNullable<ResearchSettingsChange['limits']>;

/** What administrators have set; the defaults are those of the server. */
export class ResearchSettingsKind implements DefinitionKind {
  readonly kind = 'research-settings';
  readonly layout = { file: 'research-settings.json' };
  readonly nothing = { limits: {}, researchers: [] };
  readonly #research: StagedResearchSettings;
  readonly #parse: (settings: Definition) => ResearchSettingsChange;

  /** `parse` throws `invalid_request` for what a request would be refused for. */
  constructor(
    research: StagedResearchSettings,
    parse: (settings: Definition) => ResearchSettingsChange,
  ) {
    this.#research = research;
    this.#parse = parse;
  }

  names(): string[] {
    return this.read() === undefined ? [] : [this.kind];
  }

  read(): Definition | undefined {
    const own = this.#research.ownSettings();
    const count = Object.keys(own.limits).length + own.researchers.length;
    return count === 0 ? undefined : tidy(own);
  }

  parse(given: Definition): Definition {
    return tidy(this.#parse(given));
  }

  merge(before: Definition | undefined, given: Definition, { isMirror }: ImportMode): Definition {
    const wanted = this.#parse(given);
    if (isMirror || before === undefined) return tidy({ researchers: [], ...wanted });
    const known = this.#parse(before);
    return tidy({ ...known, ...wanted, limits: { ...known.limits, ...wanted.limits } });
  }

  /** Zero takes back a limit that is not set any more. */
  async write(
    { caller, address }: Importer,
    _name: string,
    { before, after }: { readonly before: Definition | undefined; readonly after: Definition },
  ): Promise<[]> {
    const names = Object.keys(this.#parse(before ?? {}).limits ?? {});
    const taken = Object.fromEntries(names.map((name) => [name, 0])) as Limits;
    const { limits, researchers = [] } = this.#parse(after);
    const change = { limits: { ...taken, ...limits }, researchers };
    await this.#research.putSettings(caller, change, address);
    return [];
  }
}

/** Nothing is kept for a limit that is zero. */
function tidy({
  limits = {},
  researchers,
}: ResearchSettingsChange | OwnResearchSettings): Definition {
  const names = Object.keys(RESEARCH_DEFAULTS) as (keyof Limits)[];
  const given = names.map((name) => [name, limits[name] ?? 0] as const);
  return {
    limits: Object.fromEntries(given.filter(([, value]) => value !== 0)),
    ...(researchers === undefined
      ? {}
      : { researchers: researchers.map(({ name, instructions }) => ({ name, instructions })) }),
  };
}
