import { invalidSetting } from './setting-change.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** https, or http on this machine, where nobody is in between. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/** An address of an identity provider as an administrator gives it; the problem `invalid_request` when it is not safe. */
export function checkAddress(path: string, address: string): URL {
  const url = URL.parse(address);
  if (url === null || !isSafeAddress(url)) {
    throw invalidSetting(path, 'must be an https address, or an http one on the loopback');
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw invalidSetting(path, 'must have neither credentials nor a fragment');
  }
  return url;
}
