import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replicaUrlList } from './primary-front-end.ts';

describe('the list of replicas', () => {
  it.each([
    ['nothing', '', [], ''],
    [
      'the setting, in its order',
      'https://b.example;https://a.example',
      [],
      'https://b.example;https://a.example',
    ],
    [
      'the registered ones, sorted',
      '',
      ['https://b.example', 'https://a.example'],
      'https://a.example;https://b.example',
    ],
    [
      'both, each once',
      'https://b.example/',
      ['https://b.example', 'http://c.example:81'],
      'https://b.example;http://c.example:81',
    ],
    ['blanks and empty entries', ' ; https://a.example ;;', [], 'https://a.example'],
    ['case of the host', 'HTTPS://A.example', ['https://a.EXAMPLE/'], 'https://a.example'],
    ['a path', 'https://a.example/graph/', [], 'https://a.example/graph'],
    ['what is no URL', 'nonsense', ['also nonsense'], ''],
    ['a semicolon in a registered one', '', ['https://a.example/x;y'], 'https://a.example/x%3By'],
  ])('%s', (_, setting, registered, list) => {
    expect(replicaUrlList(setting, registered)).toBe(list);
  });

  it('does not depend on who registered first, and goes through itself unchanged', () => {
    const host = fc.constantFrom('https://a.example', 'http://B.example:81', 'https://[::1]');
    const path = fc.constantFrom('', '/', '/x', '/x/', '/x;y', '/é');
    const url = fc.tuple(host, path).map((parts) => parts.join(''));
    const urls = fc.uniqueArray(url, { maxLength: 8 });
    fc.assert(
      fc.property(urls, url, (registered, named) => {
        const list = replicaUrlList(named, registered);
        expect(replicaUrlList(named, registered.toReversed())).toBe(list);
        expect(replicaUrlList(list, [])).toBe(list);
      }),
    );
  });
});
