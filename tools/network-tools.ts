import { installDebianPackage } from './debian-package.ts';

/** Where Debian and most others install it; `tc` is beside it. */
export const IP = '/usr/sbin/ip';

/** What the cluster tests make networks with that fail. */
export function installNetworkTools(): void {
  installDebianPackage('iproute2', IP, 'the cluster tests');
}
