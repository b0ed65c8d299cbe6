import { Problem } from '#base/problem.ts';
import type { FileStore } from '#files/file-store.ts';
import type { FileFolder } from '#files/stored-file.ts';
import type { ModelTool, ToolText } from '../model/model-run.ts';
import { offsetIn, pageOfText, textIn } from './tool-input.ts';

/**
 * The folder in which the admin agent finds the uploads of its conversation (specification, section
 * 4.7).
 */
const UPLOADS_FOLDER = '/home/uploads/';

export function uploadPath(name: string): string {
  return UPLOADS_FOLDER + name;
}

/** The tools with which the admin agent reads the files of its conversation, and no others. */
export function fileTools(files: FileStore, folder: FileFolder): ModelTool[] {
  return [
    {
      name: 'list_files',
      description: 'Lists the files that were uploaded to this conversation.',
      inputSchema: { type: 'object', properties: {} },
      call: async () => {
        const found = files.filesOf(folder);
        const lines = found.map((file) => `${file.path} (${file.size} bytes, ${file.contentType})`);
        const text = lines.length === 0 ? 'There are none.' : lines.join('\n');
        return { text, output: { files: found.map(({ path }) => path) } };
      },
    },
    {
      name: 'read_file',
      description: 'Reads a file of text that was uploaded to this conversation.',
      inputSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'such as /home/uploads/words.csv' },
          offset: { type: 'integer', minimum: 0, description: 'characters to leave out' },
        },
        required: ['path'],
      },
      call: async (input) => read(files, folder, textIn(input, 'path'), offsetIn(input)),
    },
  ];
}

function read(files: FileStore, folder: FileFolder, path: string, offset: number): ToolText {
  const name = path.startsWith(UPLOADS_FOLDER) ? path.slice(UPLOADS_FOLDER.length) : path;
  const file = files.find(folder, name);
  if (file === undefined) throw new Problem('file_not_found', `There is no file "${path}"`);
  const text = asText(files.content(folder, name));
  if (text === undefined) {
    const what = `${file.contentType}, ${file.size} bytes`;
    return { text: `It is no text: ${what}.`, output: { path, isText: false } };
  }
  return { text: pageOfText(text, offset), output: { path, isText: true } };
}

/** The text of a file; undefined when it is not UTF-8 or has bytes that no text has. */
function asText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
