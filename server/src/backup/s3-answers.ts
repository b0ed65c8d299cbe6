/** What an answer to ListObjectsV2 says. */
export interface S3Listing {
  readonly objects: readonly { readonly key: string; readonly bytes: number }[];
  /** With which the next answer begins; undefined for the last. */
  readonly next: string | undefined;
}

const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** Reads the few elements of the XML that matter: S3 has neither attributes nor comments in them. */
export function readListing(xml: string): S3Listing {
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, content = '']) => ({
    key: textOf(content, 'Key') ?? '',
    bytes: Number(textOf(content, 'Size')),
  }));
  const isCut = textOf(xml, 'IsTruncated') === 'true';
  return { objects, next: isCut ? textOf(xml, 'NextContinuationToken') : undefined };
}

/** Of a refusal; empty when it tells none. */
export function errorCodeOf(body: Uint8Array): string {
  return textOf(Buffer.from(body).toString(), 'Code') ?? '';
}

function textOf(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(xml) ?? [];
  return text?.replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED[name] ?? whole;
    const isHex = name[1] === 'x' || name[1] === 'X';
    return String.fromCodePoint(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10));
  });
}
