import type { Doer } from '#access/deed.ts';
import { must } from '#base/assert.ts';
import type { ServiceProvider } from './saml-assertion.ts';
import {
  changeSamlProviders,
  type SamlProvider,
  type SamlProviders,
  type SamlProvidersChange,
} from './saml-settings.ts';
import { checkTeams, requirePublicAddress, type ConfigParts } from './setting-change.ts';
import { notConfigured } from './sso-problems.ts';

const SETTING = 'saml';

/** As administrators see it. */
export interface SamlConfigView {
  readonly providers: SamlProviders;
  readonly entityId: string | null;
  readonly acsUrl: string | null;
}

/** The settings of the SAML providers. */
export class SamlConfig {
  readonly #parts: ConfigParts;

  constructor(parts: ConfigParts) {
    this.#parts = parts;
  }

  view(): SamlConfigView {
    const self = this.#self();
    return {
      providers: this.#read().providers,
      entityId: self?.entityId ?? null,
      acsUrl: self?.acsUrl ?? null,
    };
  }

  async change(editor: Doer, change: SamlProvidersChange): Promise<SamlConfigView> {
    const { providers: before, version } = this.#read();
    const providers = changeSamlProviders(before, change);
    for (const [name, settings] of Object.entries(change)) {
      if (providers[name]?.enabled === true) requirePublicAddress(this.#parts.publicAddress);
      const teams = settings?.groupTeams ?? {};
      checkTeams(this.#parts.reader, `providers.${name}.groupTeams`, teams);
    }
    await this.#parts.settings.write(SETTING, { value: providers, version }, editor, {
      provider: 'saml',
      members: Object.keys(change),
    });
    return this.view();
  }

  /** Names of the providers that people may sign in with. */
  enabled(): string[] {
    if (this.#self() === null) return [];
    return Object.entries(this.#read().providers).flatMap(([name, { enabled }]) =>
      enabled ? [name] : [],
    );
  }

  /** Throws `sso_not_configured` unless people may sign in with it. */
  target(name: string): { provider: SamlProvider; serviceProvider: ServiceProvider } {
    const serviceProvider = this.serviceProvider();
    const { providers } = this.#read();
    const provider = Object.hasOwn(providers, name) ? must(providers[name], name) : undefined;
    if (provider?.enabled !== true) throw notConfigured(`saml/${name}`);
    return { provider, serviceProvider };
  }

  /** This workspace; throws `sso_not_configured` when it does not know its address. */
  serviceProvider(): ServiceProvider {
    const self = this.#self();
    if (self === null) throw notConfigured('saml');
    return self;
  }

  #self(): ServiceProvider | null {
    const { publicAddress } = this.#parts;
    if (publicAddress === null) return null;
    return {
      entityId: `${publicAddress}/api/saml/metadata`,
      acsUrl: `${publicAddress}/api/saml/acs`,
    };
  }

  #read(): { providers: SamlProviders; version: number } {
    const { value, version } = this.#parts.settings.read(SETTING);
    return { providers: (value ?? {}) as SamlProviders, version };
  }
}
