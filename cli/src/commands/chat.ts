import type { ChatAnswer, ChatTurn } from '@trellis/contract/shapes/chat.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { uidOfNode } from '../node-words.ts';
import { harmless, harmlessLines } from '../terminal.ts';
import { addChatExport } from './chat-export.ts';

interface ChatOptions {
  readonly chat?: string;
  readonly model?: string;
  readonly viewing?: string;
}

/** `trellis chat`. */
export function addChat(program: Command, run: Run): void {
  const chat = program
    .command('chat')
    .summary('ask the assistant of the workspace')
    .description('Asks the assistant of the workspace, and exports what was said.')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis chat "Which words mean dog?"
  $ trellis chat "And in the plural?" --chat 4tLgKqkzyVJUoPhSLUQTtu
  $ trellis chat export 4tLgKqkzyVJUoPhSLUQTtu --out dogs.md`,
    );
  chat
    .command('ask', { isDefault: true })
    .description(
      'Asks the assistant, and prints its answer as it comes, then the nodes that it cites. ' +
        'The assistant may read what you may read. The word "ask" may be left out.',
    )
    .argument('<question>', 'what to ask')
    .option('--chat <uid>', 'UID of the chat to continue (default: a new one)')
    .option('--viewing <node>', 'the node that the question is about: its UID, or type and key')
    .option('--model <name>', 'a model that an administrator allows')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis chat "Which words mean dog?"
  $ trellis chat "And in the plural?" --chat 4tLgKqkzyVJUoPhSLUQTtu
  $ trellis chat "What is this about?" --viewing Contract/2026-17 --json`,
    )
    .action(
      run((context, options: ChatOptions, question: string) => ask(context, options, question)),
    );
  addChatExport(chat, run);
}

async function ask(
  { client, output, terminal }: CommandContext,
  { chat, viewing, model }: ChatOptions,
  message: string,
): Promise<void> {
  const { signal } = terminal;
  const viewingUID = viewing === undefined ? undefined : uidOfNode(viewing);
  const turn: ChatTurn = { message, chatUID: chat, viewingUID, model };
  for await (const event of client.chats.stream(turn, { signal })) {
    switch (event.kind) {
      case 'begun':
        break;
      case 'delta':
        if (!output.isJson) terminal.stdout.write(harmlessLines(event.text));
        break;
      case 'tool':
        if (event.tool.state === 'begun') output.note(harmless(`calls ${event.tool.tool}`));
        break;
      case 'result': {
        const { answer } = event;
        output.data(answer, ending(answer));
        if (answer.ended !== 'answer') output.note(`The answer was cut short: ${answer.ended}.`);
        output.note(`Go on with: --chat ${harmless(answer.chatUID)}`);
      }
    }
  }
}

/** What is printed after the text. */
function ending({ answer, citations, support }: ChatAnswer): string {
  const sources = citations.map(({ id, uid, text }) => `[${id}] ${uid} ${text}`);
  const partly = support.filter(({ verdict }) => verdict === 'partly');
  const unsupported = support.filter(({ verdict }) => verdict === 'unsupported');
  return [
    answer.endsWith('\n') ? '' : '\n',
    section('Sources', sources),
    section('Not supported by them', unsupported.map(sentenceOf)),
    section('Partly supported by them', partly.map(sentenceOf)),
  ].join('');
}

function section(title: string, rows: readonly string[]): string {
  if (rows.length === 0) return '';
  const shown = rows.map((row) => harmless(row.replaceAll('\n', ', ')));
  return [`\n${title}:`, ...shown, ''].join('\n');
}

function sentenceOf({ sentence }: ChatAnswer['support'][number]): string {
  return sentence;
}
