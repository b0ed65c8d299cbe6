import {
  LLM_KEPT_CHARACTERS_MAX,
  LLM_KEPT_CHARACTERS_PER_USER_MAX,
} from '#base/assistant-limits.ts';
import { type JsonObject, objectIn } from './json-members.ts';

/** What an entry takes beside its text, so that short ones are bounded too. */
const ENTRY_CHARACTERS = 200;

interface UserMessages {
  characters: number;
  /** By their ids; those said or referred to last are at the end. */
  readonly texts: Map<string, string>;
}

/**
 * What models said in the Responses API, by the ids of the messages, for each user apart. Clients
 * such as the AI SDK send `{ type: 'item_reference', id }` for a message that they got before,
 * instead of its text. Kept in memory only, and no more than a bound: a client sends the text when
 * it asks with `store: false`.
 */
export class KeptMessages {
  /** Those who spoke last are at the end. */
  readonly #users = new Map<string, UserMessages>();
  #characters = 0;

  keep(user: string, id: string, text: string): void {
    const size = ENTRY_CHARACTERS + text.length;
    if (size > LLM_KEPT_CHARACTERS_PER_USER_MAX) return;
    const messages = this.#touch(user);
    this.#add(messages, size);
    messages.texts.set(id, text);
    for (const [oldest, gone] of messages.texts) {
      if (messages.characters <= LLM_KEPT_CHARACTERS_PER_USER_MAX) break;
      messages.texts.delete(oldest);
      this.#add(messages, -(ENTRY_CHARACTERS + gone.length));
    }
    for (const [silent, { characters }] of this.#users) {
      if (this.#characters <= LLM_KEPT_CHARACTERS_MAX) break;
      this.#users.delete(silent);
      this.#characters -= characters;
    }
  }

  /**
   * The request with the messages that it refers to, as far as they are kept. Each is put in once:
   * a short request could name a long one thousands of times.
   */
  expanded(user: string, request: JsonObject): JsonObject {
    const { input } = request;
    if (!Array.isArray(input) || !this.#users.has(user)) return request;
    const { texts } = this.#touch(user);
    const given = new Set<string>();
    return {
      ...request,
      input: input.map((item: unknown) => {
        const { type, id } = objectIn(item);
        const key = String(id);
        const text = type === 'item_reference' ? texts.get(key) : undefined;
        if (text === undefined || given.has(key)) return item;
        given.add(key);
        texts.delete(key);
        texts.set(key, text);
        return { type: 'message', role: 'assistant', content: text };
      }),
    };
  }

  #touch(user: string): UserMessages {
    const messages = this.#users.get(user) ?? { characters: 0, texts: new Map<string, string>() };
    this.#users.delete(user);
    this.#users.set(user, messages);
    return messages;
  }

  #add(messages: UserMessages, characters: number): void {
    messages.characters += characters;
    this.#characters += characters;
  }
}
