import { describe, expect, it } from 'vitest';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import { ConfigError } from './config-error.ts';
import { readConfig } from './read-config.ts';
import { faultsOf } from './testing/faults-of.ts';

describe('addresses of proxies', () => {
  it.each([
    ['10.0.0.7', true],
    ['10.0.0.0/8;::1;2001:db8::/32', true],
    ['10.0.0.0/32, fd00::/128', true],
    ['10.0.0.0/33', false],
    ['fd00::/129', false],
    ['0.0.0.0/0', false],
    ['::/0', false],
    ['10.0.0', false],
    ['loopback', false],
    ['proxy.example', false],
    ['fe80::1%eth0', false],
    ['10.0.0.0/8/8', false],
    ['10.0.0.7:8080', false],
  ])('MSK_TRUSTED_PROXIES=%s is accepted: %s', (value, isAccepted) => {
    expect(faultsOf({ MSK_TRUSTED_PROXIES: value })).toHaveLength(isAccepted ? 0 : 1);
  });

  it('and a redirect to HTTPS do not go with a public address without TLS', () => {
    const env = { MSK_REDIRECT_TO_HTTPS: 'true', MSK_TRUSTED_PROXIES: '10.0.0.7' };
    const { warnings } = readConfig({ ...env, MSK_PUBLIC_ADDRESS: 'http://x.example' });
    expect(warnings).toEqual([expect.stringContaining('MSK_PUBLIC_ADDRESS is an http URL')]);
  });

  it('are missed where there is a proxy', () => {
    for (const name of ['MSK_USE_HSTS', 'MSK_REDIRECT_TO_HTTPS']) {
      const { warnings } = readConfig({ [name]: 'true' });
      expect(warnings).toEqual([expect.stringContaining('MSK_TRUSTED_PROXIES is not set')]);
      expect(readConfig({ [name]: 'true', MSK_TRUSTED_PROXIES: '::1' }).warnings).toEqual([]);
    }
  });
});

describe('variables that are keys', () => {
  it.each<[string, string, boolean]>([
    ['MSK_JWT_KEY', 'k'.repeat(KEY_BYTES_MIN - 1), false],
    ['MSK_JWT_KEY', 'k'.repeat(KEY_BYTES_MIN), true],
    ['MSK_JWT_KEY', 'é'.repeat(KEY_BYTES_MIN / 2), true],
    ['MSK_GRAPH_MASTER_KEY', 'k'.repeat(KEY_BYTES_MIN - 1), false],
    ['MSK_GRAPH_MASTER_KEY', 'k'.repeat(KEY_BYTES_MIN), true],
  ])('%s=%s is accepted: %s', (name, value, isAccepted) => {
    expect(faultsOf({ [name]: value }).map((fault) => fault.variable)).toEqual(
      isAccepted ? [] : [name],
    );
  });

  it('tells how to make a key that is long enough, and not the one that is too short', () => {
    const faults = faultsOf({ MSK_JWT_KEY: 'hunter2', MSK_GRAPH_MASTER_KEY: 'hunter3' });
    const { message } = new ConfigError(faults);
    expect(message.match(/openssl rand -base64 32/g)).toHaveLength(2);
    expect(message).not.toMatch(/hunter/);
  });

  it('takes a short master key where it opens what an older version wrote', () => {
    const env = { MSK_GRAPH_MASTER_KEY: 'a short one' };
    expect(readConfig(env, { opensOlder: true }).secrets.graphMasterKey).toBe('a short one');
    const short = { ...env, MSK_JWT_KEY: 'short too' };
    expect(() => readConfig(short, { opensOlder: true })).toThrow(
      /^1 setting is wrong:\s+MSK_JWT_KEY/,
    );
  });
});
