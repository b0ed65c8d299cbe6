import { AGENT_TRANSCRIPT_CHARACTERS_MAX } from '#base/agent-limits.ts';
import type { ModelEvent, ToolCall } from '../model/model-run.ts';

/** What was said, and which tools were called. A call with neither output nor error gave more than is kept. */
export type TranscriptEntry =
  | { readonly role: 'user' | 'assistant'; readonly text: string }
  | ({ readonly role: 'tool' } & ToolCall);

/** One run of an agent as it happens, oldest first. */
export class Transcript {
  readonly #entries: TranscriptEntry[] = [];
  #said = '';

  see(event: ModelEvent): void {
    switch (event.kind) {
      case 'text':
        this.#said += event.text;
        return;
      case 'tool-call':
        return this.#flush();
      case 'tool-result':
        this.#entries.push({ role: 'tool', ...event.call });
    }
  }

  ask(text: string): void {
    this.#flush();
    this.#entries.push({ role: 'user', text });
  }

  get entries(): readonly TranscriptEntry[] {
    const text = this.#said.trim();
    return text === '' ? this.#entries : [...this.#entries, { role: 'assistant', text }];
  }

  /** What was said last, once no tool was called any more. */
  get answer(): string {
    const last = this.entries.at(-1);
    return last?.role === 'assistant' ? last.text : '';
  }

  /** As JSON, no longer than is kept: what came first gives way. */
  toText(): string {
    let left = AGENT_TRANSCRIPT_CHARACTERS_MAX;
    const kept = this.entries.toReversed().map((entry) => {
      const length = JSON.stringify(entry).length;
      if (length <= left) {
        left -= length;
        return entry;
      }
      return shortened(entry);
    });
    return JSON.stringify(kept.toReversed());
  }

  #flush(): void {
    const text = this.#said.trim();
    this.#said = '';
    if (text !== '') this.#entries.push({ role: 'assistant', text });
  }
}

const SHORT_TEXT_CHARACTERS = 200;

function shortened(entry: TranscriptEntry): TranscriptEntry {
  if (entry.role !== 'tool') return { ...entry, text: entry.text.slice(0, SHORT_TEXT_CHARACTERS) };
  const { role, tool, error, ms } = entry;
  return { role, tool, input: {}, ms, ...(error === undefined ? {} : { error }) };
}
