import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import {
  parseSettings,
  SettingsFault,
  type EndpointSettings,
} from '@trellis/endpoint/settings-header.ts';
import { CommandFailure } from './failure.ts';

/** The code of an endpoint in a file, with the settings that its header asks for. */
export interface EndpointFile {
  readonly path: string;
  readonly name: string;
  readonly code: string;
  readonly settings: EndpointSettings;
}

/**
 * The file, or every `*.ts` file below the folder: its path below the folder, without `.ts`, is the
 * endpoint's name.
 */
export function readEndpointFiles(path: string): EndpointFile[] {
  if (!statSync(path).isDirectory()) return [readEndpointFile(path, nameOf(basename(path)))];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.endsWith('.test.ts'))
    .toSorted();
  if (files.length === 0) throw new CommandFailure(`there is no *.ts file below ${path}`);
  return files.map((file) => readEndpointFile(join(path, file), nameOf(relative('', file))));
}

function nameOf(file: string): string {
  return file.replace(/\.ts$/, '').replaceAll(sep, '/');
}

function readEndpointFile(path: string, name: string): EndpointFile {
  const code = readFileSync(path, 'utf8');
  try {
    return { path, name, code, settings: parseSettings(code) };
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    throw new CommandFailure(`${path}:${error.line}: ${error.message}`);
  }
}
