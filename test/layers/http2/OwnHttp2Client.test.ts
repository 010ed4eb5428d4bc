import { layer } from "../../../layers/http2/OwnHttp2Client.ts"
import { http2ClientContract } from "./Http2Client.contract.ts"

http2ClientContract("own", layer)
