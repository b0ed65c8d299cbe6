import type { Chat, ChatCitation, ChatMessage } from '@trellis/contract/shapes/chat.ts';
import type { SentenceSupport } from '@trellis/contract/shapes/support.ts';
import { endRemark, isDoubtful, judgeRemark, supportSummary, VERDICTS } from './answer-words.ts';
import { inertMarkdown, inertWords } from './inert-markdown.ts';

export interface ChatMarkdownOptions {
  /** Address of the workspace, where sources lead to; without one they only name nodes. */
  readonly baseUrl?: string | undefined;
}

type ChatQuestion = Extract<ChatMessage, { role: 'user' }>;
type ChatReply = Extract<ChatMessage, { role: 'assistant' }>;

/**
 * A conversation as Markdown for people, with footnotes: what each answer cites, and of each
 * sentence that was checked the verdict and the quotes. It has what `chats.get` answers, so nothing
 * that its reader may not see.
 *
 *     await writeFile('chat.md', chatMarkdown(await trellis.chats.get(uid)));
 */
export function chatMarkdown(chat: Chat, { baseUrl }: ChatMarkdownOptions = {}): string {
  const notes = new Footnotes(baseUrl);
  const parts = [
    `# ${inertWords(chat.title || 'Conversation')}`,
    ...chat.messages.flatMap((message) =>
      message.role === 'user' ? questionParts(message, notes) : replyParts(message, notes),
    ),
    ...notes.parts(),
  ];
  return `${parts.join('\n\n')}\n`;
}

function questionParts({ text, at, viewingUID }: ChatQuestion, notes: Footnotes): string[] {
  const lines = inertMarkdown(text).split('\n');
  return [
    '## You',
    at,
    ...(viewingUID === null ? [] : [`About the node ${notes.node(viewingUID)}`]),
    // Two blanks keep the line breaks that were typed.
    lines.map((line) => `> ${line}  `).join('\n'),
  ];
}

function replyParts(reply: ChatReply, notes: Footnotes): string[] {
  const { text, at, model, citations, support, ended, error } = reply;
  const marks = support
    .filter(({ verdict }) => verdict !== 'unchecked')
    .map((sentence) => ({ at: sentence.end, write: () => notes.mark(sentence) }));
  const cited = new Set(citations.map((citation) => notes.cite(citation)));
  const words = inertMarkdown(text, { marks, cited });
  const summary = supportSummary(reply);
  return [
    '## Assistant',
    model === '' ? at : `${at}, ${inertWords(model)}`,
    words,
    ended === null ? 'The answer is under way.' : (endRemark(ended) ?? ''),
    error === null ? '' : inertWords(`The answer failed: ${error.message} (${error.code})`),
    summary === undefined ? '' : `${summary}.`,
    judgeRemark(reply) ?? '',
  ].filter((part) => part !== '');
}

/** What stands at the end of the file: the sources by their numbers, and the verdicts. */
class Footnotes {
  readonly #baseUrl: string | undefined;
  readonly #sources = new Map<number, ChatCitation>();
  readonly #verdicts: string[] = [];

  constructor(baseUrl: string | undefined) {
    this.#baseUrl = baseUrl?.replace(/\/+$/, '');
  }

  /** Numbers go on through a conversation, so each stands for one source. */
  cite(citation: ChatCitation): number {
    this.#sources.set(citation.id, citation);
    return citation.id;
  }

  /** What is written after a sentence. */
  mark(sentence: SentenceSupport): string {
    const label = `s${this.#verdicts.length + 1}`;
    const verdict = VERDICTS[sentence.verdict];
    const quotes = sentence.citations
      .filter(({ quote }) => quote !== '')
      .map(({ id, uid, quote }) => `“${inertWords(quote)}” (source ${id}, ${this.node(uid)})`);
    const note = quotes.length === 0 ? `${verdict} by what is cited.` : `${verdict}:`;
    this.#verdicts.push(`[^${label}]: ${[note, ...quotes].join(' ')}`);
    return `${isDoubtful(sentence) ? ` *(${verdict.toLowerCase()})*` : ''}[^${label}]`;
  }

  node(uid: string): string {
    const name = `\`${uid}\``;
    if (this.#baseUrl === undefined) return name;
    return `[${name}](<${this.#baseUrl}/#/node/${encodeURIComponent(uid)}>)`;
  }

  parts(): string[] {
    const sources = [...this.#sources.values()]
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, uid, text }) => {
        return `[^${id}]: ${this.node(uid)}: ${inertWords(text.trim().replaceAll('\n', '; '))}`;
      });
    return [...sources, ...this.#verdicts];
  }
}
