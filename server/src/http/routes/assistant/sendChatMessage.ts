import { sendChatMessage as operation } from '@trellis/contract/operations/chat.ts';
import { chatRoute } from '../../chat-route.ts';

export const sendChatMessage = chatRoute(operation);
