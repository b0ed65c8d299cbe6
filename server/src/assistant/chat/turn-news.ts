import type { TurnEvent } from '../model/model-run.ts';

type ToolEvent = Extract<TurnEvent, { event: 'tool' }>;

/** How much of a turn somebody has been told. */
export interface TurnPosition {
  /** Characters of the text. */
  readonly text: number;
  /** Events of tools. */
  readonly tools: number;
}

export const BEGINNING: TurnPosition = { text: 0, tools: 0 };

/** An event, and how far the turn is told with it. */
export interface ToldEvent {
  readonly told: TurnEvent;
  readonly position: TurnPosition;
}

/**
 * What a turn has said so far, for any number of readers, who come at any time. Of the text it
 * keeps the whole, and not each piece: a reader who comes late, or reads slowly, gets the pieces
 * since as one.
 */
export class TurnNews {
  #text = '';
  /** With the length of the text before each. */
  readonly #tools: { readonly at: number; readonly event: ToolEvent }[] = [];
  #isOver = false;
  #changed = Promise.withResolvers<void>();

  get text(): string {
    return this.#text;
  }

  tell(event: TurnEvent): void {
    if (event.event === 'delta') this.#text += event.data.text;
    else this.#tools.push({ at: this.#text.length, event });
    this.#wake();
  }

  /** Nothing comes after it. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** What comes after a position, as it comes; ends with the turn, or when the signal aborts. */
  async *after(
    from: TurnPosition,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ToldEvent[], void, undefined> {
    const left = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => left.resolve(), { once: true });
    let position = from;
    while (!signal.aborted) {
      const changed = this.#changed.promise;
      const isOver = this.#isOver;
      const events = this.#since(position);
      position = events.at(-1)?.position ?? position;
      if (events.length > 0) yield events;
      else if (isOver) return;
      else await Promise.race([changed, left.promise]);
    }
  }

  #since({ text, tools }: TurnPosition): ToldEvent[] {
    const events: ToldEvent[] = [];
    let at = text;
    const say = (end: number, toldTools: number): void => {
      if (end <= at) return;
      const told = { event: 'delta', data: { text: this.#text.slice(at, end) } } as const;
      events.push({ told, position: { text: end, tools: toldTools } });
      at = end;
    };
    for (const [index, tool] of this.#tools.entries()) {
      if (index < tools) continue;
      say(tool.at, index);
      events.push({ told: tool.event, position: { text: at, tools: index + 1 } });
    }
    say(this.#text.length, Math.max(tools, this.#tools.length));
    return events;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
