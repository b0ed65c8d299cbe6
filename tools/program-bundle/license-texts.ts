import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const IS_LICENSE = /^(?:licen[cs]e|copying|notice)(?:\.|$)/i;

/**
 * The licenses of the packages that modules are of, one after the other: they ask to go along with
 * copies of the code.
 */
export function licenseTexts(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((id) => packageFolder(id) ?? []));
  return [...folders].toSorted().map(licenseOf).join('\n');
}

/** `/x/node_modules/@y/z/lib/a.js` is of `/x/node_modules/@y/z`. */
function packageFolder(id: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && IS_LICENSE.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts, ''].join('\n\n');
}
