const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
/** Characters that may be between the brackets of a URL. */
const IPV6_CHARACTERS = /^[0-9a-f.]*:[0-9a-f:.]*$/i;
const PRIVATE_IPV4 = /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\./;
const PRIVATE_IPV6 = /^(?:::1$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i;
const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/i;

/** Undefined for a text that is no address. */
export function ipVersion(text: string): 4 | 6 | undefined {
  if (IPV4.test(text)) return 4;
  return IPV6_CHARACTERS.test(text) && URL.canParse(`http://[${text}]/`) ? 6 : undefined;
}

/** Whether a valid address is one of this machine, or of a network that is not public. */
export function isPrivateAddress(address: string): boolean {
  const plain = withoutMapping(address);
  return PRIVATE_IPV4.test(plain) || PRIVATE_IPV6.test(plain);
}

/** The plain IPv4 address where an IPv6 socket gives a mapped one. */
export function withoutMapping(address: string): string {
  return address.replace(IPV4_IN_IPV6, '');
}
