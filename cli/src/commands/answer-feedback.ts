import type {
  ChatFeedbackItem,
  ChatFeedbackQuery,
  ChatMessage,
  RatedConversation,
} from '@trellis/contract/shapes/chat.ts';
import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { harmlessLines, table } from '../terminal.ts';

type FeedbackOptions = ListOptions & Partial<Pick<ChatFeedbackQuery, 'value' | 'from' | 'to'>>;

/** `trellis answers feedback`. */
export function addFeedback(answers: Command, run: Run): void {
  addListOptions(
    answers
      .command('feedback')
      .description(
        'Lists the answers of the chat that users have rated, the newest first. With an answer, ' +
          'shows the conversation up to it; the audit trail keeps that you have read it.',
      )
      .argument('[answer]', 'UID of a rated answer')
      .addOption(new Option('--value <value>', 'only those rated so').choices(['up', 'down']))
      .option('--from <time>', 'only answers not before this time, ISO 8601')
      .option('--to <time>', 'only answers before this time'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis answers feedback --value down --take 20\n' +
        '  $ trellis answers feedback 2nVd7LsXq4WkTc9RyHm5Bp',
    )
    .action(
      run((context, options: FeedbackOptions, answer?: string) =>
        answer === undefined ? list(context, options) : show(context, answer),
      ),
    );
}

async function list(
  { client, output, terminal }: CommandContext,
  { value, from, to, ...page }: FeedbackOptions,
): Promise<void> {
  const { signal } = terminal;
  const items = await listItems(page, (asked) =>
    client.chats.listFeedback({ value, from, to, ...asked }, { signal }),
  );
  const heads = ['ANSWER', 'AT', 'RATED', 'BY', 'MODEL', 'COMMENT'];
  output.data(items, table(heads, items.map(rowOf)));
}

function rowOf({ messageUID, at, value, user, model, comment }: ChatFeedbackItem): string[] {
  return [messageUID, at, value, user.name, model, comment ?? ''];
}

async function show({ client, output, terminal }: CommandContext, answer: string): Promise<void> {
  const rated = await client.chats.getFeedback(answer, { signal: terminal.signal });
  output.data(rated, textOf(rated));
}

function textOf({ messages, user, value, comment }: RatedConversation): string {
  const said = messages.map((message) => paragraphOf(message, user.name));
  const why = comment === null || comment === '' ? '' : `: ${comment}`;
  return harmlessLines([...said, `${user.name} rates it ${value}${why}`].join('\n\n'));
}

function paragraphOf({ role, text }: ChatMessage, user: string): string {
  return `${role === 'user' ? user : 'Assistant'}:\n${text}`;
}
