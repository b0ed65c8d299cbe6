import type {
  ChatFeedbackItem,
  ChatFeedbackQuery,
  RatedConversation,
} from '@trellis/contract/shapes/chat.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import { type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { type FactsParts, ReaderFacts } from '../citations/reader-facts.ts';
import { shownMessage } from './chat-service.ts';
import { ChatStore, type RatedReply } from './chat-store.ts';

export interface FeedbackParts extends FactsParts {
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
}

/**
 * What users say of answers, for administrators. Who rates an answer shows the conversation up to
 * it, and hides it again by taking the rating back; all other conversations stay with their users.
 */
export class FeedbackService {
  readonly #parts: FeedbackParts;
  readonly #store: ChatStore;

  constructor(parts: FeedbackParts) {
    this.#parts = parts;
    this.#store = new ChatStore(parts.reader, parts.commits);
  }

  /** The newest answer first. It has nothing of what was said but the users' comments. */
  list(_caller: Caller, query: ChatFeedbackQuery): List<ChatFeedbackItem> {
    const { value, from, to, skip, take } = query;
    const rated = this.#store.rated(value);
    const since = (time: string | undefined): number =>
      time === undefined ? rated.length : this.#countSince(rated, Date.parse(time));
    const found = rated.slice(to === undefined ? 0 : since(to), since(from));
    const items = found.slice(skip, skip + take).flatMap((id) => {
      const one = this.#store.ratedReply(id);
      return one === undefined ? [] : [itemOf(one, this.#parts.reader)];
    });
    return { items, total: found.length, skip, take };
  }

  /**
   * The conversation up to a rated answer, as the caller may see its nodes now. Each reading is in
   * the audit trail before it is answered. Throws `chat_feedback_not_found`.
   */
  async read(doer: Doer, messageUid: string): Promise<RatedConversation> {
    const rated = this.#require(messageUid);
    const target = { kind: 'chat', id: rated.chatUID };
    const event = deed('chat.feedback-read', doer, target, { message: messageUid, of: rated.user });
    await this.#store.commit([this.#parts.audit.operation(event)]);
    // The user may have taken it back meanwhile.
    const { chatUID, ...now } = this.#require(messageUid);
    const stored = this.#store.messages(chatUID);
    const end = stored.findIndex(({ UID }) => UID === messageUid) + 1;
    const facts = new ReaderFacts(this.#parts, doer.caller);
    const messages = stored.slice(0, end).map((one) => shownMessage(one, facts, false));
    return { ...itemOf({ chatUID, ...now }, this.#parts.reader), messages };
  }

  #require(messageUid: string): RatedReply {
    const rated = this.#store.findRated(messageUid);
    if (rated !== undefined) return rated;
    throw new Problem('chat_feedback_not_found', `There is no feedback on "${messageUid}".`);
  }

  /** How many of the answers, of which the newest is first, are not older than a time. */
  #countSince(ids: readonly number[], time: number): number {
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#store.timeOf(ids[middle]!) >= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function itemOf({ user, reply }: RatedReply, reader: GraphReader): ChatFeedbackItem {
  const { UID, at, model, feedback } = reply;
  const id = reader.id({ uid: user });
  const name = id === undefined ? undefined : reader.field(id, 'UserName');
  return {
    messageUID: UID,
    value: feedback.value,
    comment: feedback.comment === '' ? null : (feedback.comment ?? null),
    at,
    model,
    user: { uid: user, name: String(name ?? user) },
  };
}
