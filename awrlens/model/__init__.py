"""The values that modules exchange: facts, findings, recommendations, the analysis.

All are frozen and have no methods except conversion to plain data (CONTRACT section 1).
"""

from awrlens.model.analysis import OTHER_ENGINE as OTHER_ENGINE
from awrlens.model.analysis import SCHEMA_VERSION as SCHEMA_VERSION
from awrlens.model.analysis import Analysis as Analysis
from awrlens.model.analysis import Change as Change
from awrlens.model.analysis import Note as Note
from awrlens.model.analysis import Overview as Overview
from awrlens.model.analysis import Reason as Reason
from awrlens.model.analysis import Share as Share
from awrlens.model.analysis import Window as Window
from awrlens.model.fact import Evidence as Evidence
from awrlens.model.fact import Evidenced as Evidenced
from awrlens.model.fact import Excerpt as Excerpt
from awrlens.model.fact import Fact as Fact
from awrlens.model.fact import FactValue as FactValue
from awrlens.model.fact import Status as Status
from awrlens.model.fact import facts_table as facts_table
from awrlens.model.finding import ALARMS as ALARMS
from awrlens.model.finding import DB_TIME as DB_TIME
from awrlens.model.finding import NO_WEIGHT as NO_WEIGHT
from awrlens.model.finding import SEVERITIES as SEVERITIES
from awrlens.model.finding import STATES as STATES
from awrlens.model.finding import Confidence as Confidence
from awrlens.model.finding import Declaration as Declaration
from awrlens.model.finding import Finding as Finding
from awrlens.model.finding import Impact as Impact
from awrlens.model.finding import Recommendation as Recommendation
from awrlens.model.finding import Severity as Severity
from awrlens.model.finding import Sign as Sign
from awrlens.model.finding import Skipped as Skipped
from awrlens.model.finding import State as State
from awrlens.model.finding import Verdict as Verdict
from awrlens.model.finding import Verdicts as Verdicts
from awrlens.model.finding import Weight as Weight
from awrlens.model.finding import base_of_shares as base_of_shares
from awrlens.model.finding import is_on as is_on
from awrlens.model.finding import parts_of as parts_of
from awrlens.model.finding import timed_part as timed_part
from awrlens.model.finding import with_parts as with_parts
from awrlens.model.finding import worst as worst
