import { expect, test } from 'vitest';
import { ipVersion, isPrivateAddress } from './ip-address.ts';

test.each([
  ['0.0.0.0', 4],
  ['255.255.255.255', 4],
  ['256.0.0.1', undefined],
  ['1.2.3', undefined],
  ['01.2.3.4', undefined],
  ['1.2.3.4:80', undefined],
  ['::', 6],
  ['2001:DB8::1', 6],
  ['64:ff9b::198.51.100.1', 6],
  ['2001:db8::12345', undefined],
  ['1::2::3', undefined],
  ['fe80::1%eth0', undefined],
  ['::1]/x[', undefined],
  ['', undefined],
])('%s is of version %s', (text, version) => {
  expect(ipVersion(text)).toBe(version);
});

test.each([
  ['127.0.0.1', true],
  ['10.255.0.1', true],
  ['172.15.0.1', false],
  ['172.16.0.1', true],
  ['172.31.255.1', true],
  ['172.32.0.1', false],
  ['192.168.1.1', true],
  ['192.169.1.1', false],
  ['::ffff:10.0.0.1', true],
  ['::ffff:203.0.113.9', false],
  ['::1', true],
  ['::11', false],
  ['fd12:3456::1', true],
  ['fe80::1', true],
  ['2001:db8::1', false],
])('%s is private: %s', (address, isPrivate) => {
  expect(isPrivateAddress(address)).toBe(isPrivate);
});
