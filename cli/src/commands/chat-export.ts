import { chatMarkdown } from '@trellis/client/chat-markdown.ts';
import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { bytesText, harmless, harmlessLines } from '../terminal.ts';
import { refuseExisting, writeWhole } from '../whole-file.ts';

const FORMATS = ['markdown', 'json'] as const;

interface ExportOptions {
  readonly format?: (typeof FORMATS)[number];
  readonly out?: string;
}

/** `trellis chat export`. */
export function addChatExport(chat: Command, run: Run): void {
  chat
    .command('export')
    .description(
      'Writes a chat of yours with its sources, and says of each sentence whether they support it. ' +
        'Sources that you may no longer read are left out.',
    )
    .argument('<chat>', 'UID of the chat')
    .addOption(
      new Option(
        '--format <format>',
        'format of the file (default: from the ending of --out, or markdown)',
      ).choices(FORMATS),
    )
    .option('--out <path>', 'where to write it; overwrites nothing (default: prints it)')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis chat export 4tLgKqkzyVJUoPhSLUQTtu
  $ trellis chat export 4tLgKqkzyVJUoPhSLUQTtu --out dogs.md
  $ trellis chat export 4tLgKqkzyVJUoPhSLUQTtu --out dogs.json`,
    )
    .action(run(exportChat));
}

async function exportChat(
  { client, output, server, terminal }: CommandContext,
  { format, out }: ExportOptions,
  uid: string,
): Promise<void> {
  const { signal } = terminal;
  const isFile = out !== undefined && out !== '-';
  if (isFile) refuseExisting(out);
  const chat = await client.chats.get(uid, { signal });
  const isJson = (format ?? formatOfEnding(out)) === 'json';
  const text = isJson
    ? `${JSON.stringify(chat, null, 2)}\n`
    : chatMarkdown(chat, { baseUrl: server });
  if (!isFile) {
    output.data(chat, harmlessLines(text));
    return;
  }
  const content = new Blob([text]);
  await writeWhole(out, content.stream(), signal);
  output.note(`Wrote ${bytesText(content.size)} to ${harmless(out)}.`);
  const written = { path: out, format: isJson ? 'json' : 'markdown', bytes: content.size };
  output.data(written, '');
}

function formatOfEnding(path = ''): ExportOptions['format'] {
  return path.toLowerCase().endsWith('.json') ? 'json' : 'markdown';
}
